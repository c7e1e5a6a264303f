// ----- drawing and highlighting

const plots = [...document.querySelectorAll("figure")].map((figure) => ({
  figure, div: figure.querySelector(".plot"), drawing: unpacked(figure),
}));
let followed = null;

function config(drawing) {
  const picture = (format, icon) => ({
    name: format, title: `Save as ${format.toUpperCase()}`, icon: Plotly.Icons[icon],
    click: (div) => Plotly.downloadImage(
      div, { format, filename: drawing.id, scale: format === "png" ? 2 : 1 }),
  });
  return { displaylogo: false, displayModeBar: "hover", showTips: false,
    modeBarButtons: [[picture("png", "camera"), picture("svg", "disk"), "resetScale2d"]] };
}

/** Draws a figure, or redraws it for another width or highlighted individual. */
async function draw({ figure, div, drawing }) {
  if (!(drawing.kind in FIGURES) || !drawing.rows.length) return;
  const width = div.clientWidth;
  const narrow = width < 600;
  const who = drawing.shown.has(followed) ? followed : null;
  const view = { width, narrow, who, most: narrow ? 14 : 40 };
  const built = FIGURES[drawing.kind](drawing, view);
  figure.classList.add("drawn");
  const first = !div.dataset.drawn;
  await Plotly.react(div, built.data, built.layout, config(drawing));
  if (first) {
    div.on("plotly_click", ({ points }) => toggle(pointed(points[0])));
    div.on("plotly_clickannotation", ({ annotation }) => toggle(annotation.name));
    div.on("plotly_afterplot", () => ticks(div));
  }
  ticks(div);
  div.dataset.drawn = "true";
  if (who === null) delete div.dataset.followed;
  else div.dataset.followed = who;
}

const pointed = (point) => literal.get(point.customdata?.[0] ?? point.data.meta?.[0]);

/** Makes names on axes clickable; their positions identify the individuals. */
function ticks(div) {
  for (const side of ["x", "y"]) {
    for (const tick of div.querySelectorAll(`g.${side}tick`)) {
      const name = div.layout[`${side}axis`].names?.[tick.__data__.x];
      const text = tick.querySelector("text");
      text.classList.toggle("tick-name", PLACE.has(name));
      text.onclick = PLACE.has(name) ? () => toggle(name) : null;
    }
  }
}

/** Unpacks Plotly; the policy of the page knows the hash of what it runs. */
async function unpackPlotly() {
  const packed = document.getElementById("plotly");
  if (!packed) return;
  const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

const unpacking = unpackPlotly().catch(console.error);  // without it, pictures stay static
let round = 0;

/** Draws all figures, visible ones first; stops when a newer call has started. */
async function drawAll() {
  const mine = ++round;
  await unpacking;
  if (mine !== round) return;
  const far = new Map(plots.map((plot) => {
    const box = plot.figure.getBoundingClientRect();
    return [plot, Math.max(0, box.top - innerHeight, -box.bottom)];
  }));
  for (const plot of [...plots].sort((one, other) => far.get(one) - far.get(other))) {
    try {
      await draw(plot);
    } catch (error) {
      // Fall back to the static picture.
      plot.figure.classList.remove("drawn");
      console.error(error);
    }
    await new Promise((resolve) => { setTimeout(resolve); });
    if (mine !== round) return;
  }
}

const input = document.getElementById("follow");
const clear = document.getElementById("clear");

function markTables() {
  for (const row of document.querySelectorAll("tr.followed")) row.classList.remove("followed");
  for (const button of document.querySelectorAll(".who")) {
    const mine = button.textContent === followed;
    button.setAttribute("aria-pressed", mine);
    if (mine) button.closest("tr").classList.add("followed");
  }
}

function follow(name) {
  const next = PLACE.has(name) ? name : null;
  input.value = next ?? "";
  if (next === followed) return;
  followed = next;
  clear.disabled = next === null;
  if (next === null) delete document.body.dataset.followed;
  else document.body.dataset.followed = next;
  document.getElementById("said").textContent = next === null
    ? "No individual highlighted." : `Highlighted: ${next}.`;
  markTables();
  drawAll();
}

function toggle(name) {
  if (name !== undefined && name !== "") follow(name === followed ? null : name);
}

// ----- tables

const TEXTS = new Intl.Collator("en", { numeric: true });

/** A number as text of a table cell. */
function written(value, decimals) {
  const text = value.toFixed(decimals);
  if (decimals && Number(text) === 1 && value < 1) {
    return `>${(1 - 10 ** -decimals).toFixed(decimals)}`;
  }
  if (Number(text) !== 0) return text.replace("-", "−");
  return value > 0 ? `<${(10 ** -decimals).toFixed(decimals)}` : text.replace("-", "");
}

function cell(value, head) {
  const made = document.createElement("td");
  const numeric = "decimals" in head.dataset;
  if (numeric) made.className = "n";
  if (value === null) return made;
  if (numeric) {
    made.dataset.value = value;
    made.textContent = written(value, Number(head.dataset.decimals));
  } else if (typeof value === "boolean") {
    made.textContent = value ? "yes" : "no";
  } else if ("who" in head.dataset) {
    const button = made.appendChild(document.createElement("button"));
    button.className = "who";
    button.textContent = value;
  } else {
    made.textContent = value;
  }
  return made;
}

/** Adds the remaining rows of figure data to the table. */
function fillIn(figure) {
  figure.querySelector(".all")?.remove();
  const rest = figure.querySelector(".rest");
  if (!rest) return;
  rest.remove();
  const { drawing } = plots.find((plot) => plot.figure === figure);
  const heads = [...figure.querySelectorAll("th")];
  const body = figure.querySelector("tbody");
  for (const row of drawing.rows.slice(body.rows.length)) {
    const made = body.appendChild(document.createElement("tr"));
    made.append(...heads.map((head) => cell(row[head.dataset.column], head)));
  }
  markTables();
}

function sort(head) {
  const table = head.closest("table");
  if (head.closest("details")) fillIn(head.closest("figure"));
  const column = head.cellIndex;
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const numeric = "decimals" in head.dataset;
  const keyed = [...table.tBodies[0].rows].map((row) => {
    const { dataset, textContent } = row.cells[column];
    if (textContent === "") return [null, row];
    return [numeric ? Number(dataset.value ?? textContent.replace("−", "-")) : textContent, row];
  });
  const sign = down ? -1 : 1;
  keyed.sort(([one], [other]) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (numeric ? one - other : TEXTS.compare(one, other));
  });
  for (const [, row] of keyed) table.tBodies[0].append(row);
}

// ----- files and the clipboard

function csv({ columns, rows }) {
  const quoted = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const names = Object.keys(columns);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((values) => `${values.map(quoted).join(",")}\r\n`).join("");
}

function save(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // Pages opened from disk may lack access to the clipboard; a selection can always be copied.
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

// ----- events

document.documentElement.classList.add("js");
document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const figure = button.closest("figure");
  const plot = plots.find((known) => known.figure === figure);
  if (button.matches(".who")) toggle(button.textContent);
  else if (button === clear) follow(null);
  else if (button.parentElement.matches("th")) sort(button.parentElement);
  else if (button.matches(".copy")) copy(button);
  else if (button.matches(".all")) fillIn(figure);
  else if (button.matches(".csv")) save(csv(plot.drawing), `${figure.id}.csv`);
});
document.getElementById("whole")?.addEventListener("change", ({ target }) => {
  document.body.classList.toggle("with-appendix", target.checked);
});
document.addEventListener("keydown", ({ key }) => { if (input && key === "Escape") follow(null); });
input?.addEventListener("input", () => {
  input.setCustomValidity("");
  if (PLACE.has(input.value)) follow(input.value);
});
input?.addEventListener("change", () => {
  // A unique prefix is sufficient, ignoring accents and case.
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const meant = NAMES.filter((name) => plain(name).startsWith(plain(input.value.trim())));
  const found = PLACE.has(input.value) ? input.value : meant.length === 1 ? meant[0] : null;
  input.setCustomValidity(
    input.value && !found ? "No individual, or more than one, matches this name." : "");
  if (found || !input.value) follow(found);
  else input.reportValidity();
});

let width = innerWidth;
let waiting;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});

window.peckorder = { follow, followed: () => followed };
drawAll();
