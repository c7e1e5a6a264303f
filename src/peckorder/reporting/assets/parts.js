// A colorblind-safe palette; with nine dash patterns it gives 63 distinct lines.
const COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "1px,5px",
  "10px,2px,2px,2px,2px,2px", "4px,2px"];
const [BLUE, STRONG, FADED, GRAY] = ["#0072B2", "#D55E00", "#cfcfcf", "#767676"];
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
const NAMES = JSON.parse(document.getElementById("all-names").textContent);
const PLACE = new Map(NAMES.map((name, place) => [name, place]));
const DAY = 86400000;

// ----- data

// Times are shown as written: the reader's time zone must not shift them.
const moment = (text) => Date.parse(text.length > 10 ? `${text.replace(" ", "T")}Z` : text);
const stamp = (milliseconds) => new Date(milliseconds).toISOString().slice(0, -1);

/** Dates as they were written, restored from their differences. */
function dates({ microseconds, steps, timed }) {
  let now = 0;
  return steps.map((step) => {
    if (step === null) return null;
    now += step * microseconds;
    const seconds = Math.floor(now / 1e6);
    const [day, time] = stamp(1000 * seconds).split("T");
    const rest = now - 1e6 * seconds;
    const fraction = rest ? `.${String(rest).padStart(6, "0")}` : "";
    return timed ? `${day} ${time.slice(0, 8)}${fraction}` : day;
  });
}

/** The data of a figure, with packed texts and dates restored. */
function unpacked(figure) {
  const drawing = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const columns = Object.entries(drawing.columns).map(([name, column]) => {
    if (Array.isArray(column)) return [name, column];
    if (column.steps) return [name, dates(column)];
    return [name, column.codes.map((code) => (code === null ? null : column.values[code]))];
  });
  const length = columns.length ? columns[0][1].length : 0;
  const rows = Array.from({ length }, (_, place) =>
    Object.fromEntries(columns.map(([name, column]) => [name, column[place]])));
  const shown = new Set(rows.flatMap((row) =>
    [row.individual, row.row, row.column, row.dominant, row.subordinate]));
  return { ...drawing, rows, shown, has: (name) => name in drawing.columns };
}

/** Names in the order of the page; unknown names come last. */
function inOrder(names) {
  const place = (name) => PLACE.get(name) ?? NAMES.length;
  return [...new Set(names)].sort((one, other) => place(one) - place(other));
}

function grouped(rows, column) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[column])) groups.set(row[column], []);
    groups.get(row[column]).push(row);
  }
  return groups;
}

/** Minimum and maximum, ignoring missing values. */
function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// ----- text

const literal = new Map();

/** Text that Plotly shows literally: it interprets tags, entities, %{templates} and $math$. */
function safe(text) {
  const written = String(text).replace(/[&<>%$]/g, (character) => `&#${character.charCodeAt(0)};`);
  literal.set(written, String(text));
  return written;
}

/** Labels of names: long ones shortened in the middle, and all of them unique. */
function shortened(names, most) {
  const end = Math.floor((most - 1) / 2);
  const [made, taken] = [new Map(), new Set()];
  for (const name of inOrder([...NAMES, ...names])) {
    const characters = [...name];
    const start = characters.slice(0, most - 1 - end).join("");
    const cut = characters.length > most ? `${start}…${characters.slice(-end).join("")}` : name;
    let label = cut;
    for (let number = 2; taken.has(label); number += 1) label = `${cut} (${number})`;
    taken.add(label);
    made.set(name, label);
  }
  return new Map(names.map((name) => [name, made.get(name)]));
}

function said(value) {
  if (value === null || value === undefined) return "unknown";
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  return String(rounded).replace("-", "−");
}

const percent = (share) => (share === null ? "unknown" : `${Math.round(100 * share)}%`);

const between = (row, low, high, kind = "interval") =>
  (row[low] ?? null) === null ? "" : ` (95% ${kind} ${said(row[low])}–${said(row[high])})`;

/** Hover texts of points: the name and a description. */
const tips = (rows, text, who = (row) => row.individual) => ({
  customdata: rows.map((row) => [who(row) === undefined ? "" : safe(who(row)), safe(text(row))]),
  hovertemplate: rows.some((row) => who(row) !== undefined)
    ? "<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>"
    : "%{customdata[1]}<extra></extra>",
});

const ruler = document.createElement("canvas").getContext("2d");

/** Width of labels in pixels, in bold as for the highlighted individual. */
function room(labels, size = 12) {
  ruler.font = `bold ${size}px ${FONT}`;
  const widths = Array.from(labels.values(), (label) => ruler.measureText(label).width);
  return Math.ceil(Math.max(0, ...widths));
}

// ----- parts of figures

const line = (name) => {
  const place = PLACE.get(name) ?? 0;
  return {
    color: COLORS[place % COLORS.length],
    dash: DASHES[Math.floor(place / COLORS.length) % DASHES.length],
  };
};

const MANY = 12; // above, only some lines have a color of their own
// Green and pink look gray to the color-blind: among gray lines they come last, and dashed.
const OVER_GRAY = [0, 1, 5, 4, 6, 2, 3].map((place) => COLORS[place]);
const CROWDED = 24; // names beside a figure, above which only some are shown

/** The style of lines of many individuals: some in color, others that are named, and the rest. */
function among(name, named) {
  const place = named.indexOf(name);
  if (place >= 0 && place < OVER_GRAY.length) {
    return { color: OVER_GRAY[place], dash: place < 5 ? "solid" : "dash", width: 1.8 };
  }
  return { color: place >= 0 ? "#8a8a8a" : FADED, dash: "solid", width: place >= 0 ? 1.2 : 0.9 };
}

/** Style of an individual's line: its own, or strong or faded while one is highlighted. */
function drawn(name, who, named = null) {
  if (who === null && named !== null) return among(name, named);
  if (who === null) return { ...line(name), width: NAMES.length > 30 ? 1.2 : 1.8 };
  return name === who
    ? { color: STRONG, dash: "solid", width: 3.5 }
    : { color: FADED, dash: "solid", width: 1 };
}

/** Rows in layers, the highlighted individual in front. */
function layers(rows, who) {
  if (who === null) return [[rows, BLUE]];
  return [
    [rows.filter((row) => row.individual !== who), FADED],
    [rows.filter((row) => row.individual === who), STRONG],
  ];
}

const front = (names, who) => [...names].sort((one, other) => (one === who) - (other === who));

function axis(title, more = {}) {
  return {
    title: { text: title, standoff: 8, font: { size: 12 } }, type: "linear", zeroline: false,
    gridcolor: "#ececec", linecolor: "#999", ticks: "outside", tickcolor: "#999", ticklen: 4,
    automargin: false, ...more,
  };
}

/** Ticks at whole numbers only. */
const whole = (number) => ({ tickformat: "d", ...(number <= 15 ? { dtick: 1 } : {}) });

/** An axis of dates (as text) or numbers, with conversions of its values. */
function timeline(values) {
  return values.some((value) => typeof value === "string")
    ? { scale: { type: "date" }, least: DAY, number: (value) => value && moment(value),
      value: stamp }
    : { scale: { type: "linear", tickformat: "~f" }, least: 1, number: (value) => value,
      value: (number) => number };
}

/** An axis of names, first at the top (position 0). */
function nameAxis(labels, who, { size = 12, every = 1, ...more } = {}) {
  const names = [...labels.keys()];
  const kept = names.map((name, place) => place)
    .filter((place) => place % every === 0 || names[place] === who);
  const text = kept.map((place) => {
    const label = safe(labels.get(names[place]));
    return names[place] === who ? `<b style="color:${STRONG}">${label}</b>` : label;
  });
  return axis("", {
    names, tickmode: "array", tickvals: kept, ticktext: text, range: [names.length - 0.5, -0.5],
    tickfont: { size }, ticks: "", showgrid: false, fixedrange: true, ...more,
  });
}

function layout(view, height, more) {
  return {
    width: view.width, height, font: { family: FONT, size: 12, color: "#333" }, showlegend: false,
    margin: { l: 62, r: 20, t: 28, b: 50 }, hovermode: "closest", hoverdistance: 24,
    hoverlabel: { align: "left", bgcolor: "#fff", bordercolor: "#999", font: { color: "#222" } },
    // Touch scrolls the page; the zoom is kept when another individual is highlighted.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom", uirevision: "page",
    ...more,
  };
}

const note = (text, more) => ({
  text, showarrow: false, xref: "paper", yref: "paper", font: { size: 12 }, ...more,
});

const mark = (x0, y0, x1, y1, stroke, more) => ({
  type: "line", x0, y0, x1, y1, line: stroke, ...more,
});

/** Many separate lines as one trace. */
function strokes(ends, stroke, more) {
  return {
    x: ends.flatMap(([x0, , x1]) => [x0, x1, null]),
    y: ends.flatMap(([, y0, , y1]) => [y0, y1, null]),
    mode: "lines", line: stroke, hoverinfo: "skip", ...more,
  };
}

/** Error bars. */
const reach = (rows, value, low, high, color = BLUE) => ({
  type: "data", symmetric: false, color, thickness: 1.5, width: 0,
  array: rows.map((row) => (row[high] ?? row[value]) - row[value]),
  arrayminus: rows.map((row) => row[value] - (row[low] ?? row[value])),
});

/** Positions as close as possible to those wanted, with a minimum gap between them. */
function spread(wanted, gap, low, high) {
  const order = wanted.map((_, place) => place).sort((one, other) => wanted[one] - wanted[other]);
  const blocks = [];
  order.forEach((place, step) => {
    let block = { sum: wanted[place] - step * gap, size: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).size > block.sum / block.size) {
      const last = blocks.pop();
      block = { sum: block.sum + last.sum, size: block.size + last.size };
    }
    blocks.push(block);
  });
  const top = Math.max(low, high - gap * (order.length - 1));
  const starts = blocks.flatMap(({ sum, size }) =>
    Array(size).fill(Math.min(top, Math.max(low, sum / size))));
  const places = [];
  order.forEach((place, step) => { places[place] = starts[step] + step * gap; });
  return places;
}

/** Which places, the most important first, are at least `gap` from those before; `sure` always. */
function apart(places, gap, sure) {
  const taken = [];
  return places.map((place, step) => {
    const free = step < sure || taken.every((other) => Math.abs(other - place) >= gap);
    if (free) taken.push(place);
    return free;
  });
}

/** A label at the end of a line; clicking it highlights the individual. */
function label(name, view, labels, more, named = null) {
  const text = safe(labels.get(name));
  const gray = named !== null && !named.includes(name);
  const own = gray ? "#777" : named === null ? line(name).color : among(name, named).color;
  const color = view.who === null ? own : name === view.who ? STRONG : "#888";
  const weight = name === view.who ? `<b>${text}</b>` : text;
  return note(weight, {
    name, captureevents: true, font: { size: 12, color }, borderpad: 0, ...more,
  });
}

/** Panels from left to right, then down. */
function panels(number, columns, height, gap = 0.09) {
  const rows = Math.ceil(number / columns);
  const wide = (1 - gap * (columns - 1)) / columns;
  const space = rows > 1 ? 76 / (height - 78) : 0;
  const tall = (1 - space * (rows - 1)) / rows;
  return Array.from({ length: number }, (_, panel) => {
    const left = (panel % columns) * (wide + gap);
    const top = 1 - Math.floor(panel / columns) * (tall + space);
    return { x: [left, left + wide], y: [Math.max(0, top - tall), top] };
  });
}

/** Words on lines of their own where they would be too long for one. */
function wrapped(text, most) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(safe).join("<br>");
}

const nth = (panel) => (panel ? String(panel + 1) : "");
