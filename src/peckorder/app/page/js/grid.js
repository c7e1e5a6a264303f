// The sheet as it is in the file: only the rows in sight are elements, so that any length scrolls.
import { h, put, s } from "./dom.js";
import { gridWindow } from "./store.js";
import { plural, shownBlanks } from "./words.js";

const CHUNK = 100; // rows requested for at once
const SPARE = 12; // rows drawn above and below those in sight
const SURE = ["not recognized", "a guess", "likely", "sure"];

/** Sizes of a row in pixels, for the text size in use. */
const rowHeight = () => 1.7 * parseFloat(getComputedStyle(document.documentElement).fontSize);

function columnHead({ name, role, sure, why }, place, roles, setRole) {
  const sureness =
    roles.length > 0 &&
    SURE[sure] &&
    h(
      "span",
      {
        class: `sure s${sure}`,
        role: "img",
        title: why,
        label: `How sure: ${SURE[sure]}. ${why ?? ""}`,
      },
      h("i"),
      h("i"),
      h("i"),
    );
  const wide = Math.max(6, (roles.find(([id]) => id === (role ?? ""))?.[1] ?? "").length);
  return h(
    "th",
    { scope: "col", class: role ? `r-${role}` : "r-none" },
    roles.length > 0 &&
      h(
        "span.role",
        h(
          "select",
          {
            label: `Role of column ${name}`,
            key: `role-${place}`,
            css: { width: `${wide + 3.2}ch` },
            change: ({ target }) =>
              setRole(name, target.value, `${name}: ${target.selectedOptions[0].textContent}`),
          },
          roles.map(([id, text]) =>
            h("option", { value: id, selected: id === (role ?? "") }, text),
          ),
        ),
      ),
    h("span.head", h("span.head-name", { title: name }, name), sureness),
  );
}

function titleRow(words, place, last, columns) {
  return h(
    "tr.dull",
    h("th", { scope: "row" }, place + 1),
    h(
      "td",
      { colspan: columns + 1 },
      words,
      last ? h("em.tag", "header row") : place === 0 && h("em.tag", "above the header"),
    ),
  );
}

function cellOf(text, place, { changed, marked, used }) {
  const now = changed?.[place];
  const kind = marked ? "mark" : used[place] ? "" : "off";
  if (now === undefined)
    return h("td", { class: kind, title: text.length > 24 ? text : null }, shownBlanks(text));
  return h("td", { class: kind }, h("s", shownBlanks(text)), h("b", now));
}

function dataRow(row, { lit, used, framed, texts }) {
  const on = lit(row.place);
  const kind = `${on ? "lit" : ""} ${row.why ? "left" : ""}`;
  return h(
    "tr",
    { class: kind, "data-row": row.place },
    h("th", { scope: "row", title: row.why ? `left out: ${row.why}` : null }, row.number),
    row.cells.map((text, place) =>
      cellOf(text, place, {
        changed: row.changed,
        marked: on && framed.has(place) && (!texts || texts.has(text.trim())),
        used,
      }),
    ),
    h("td.reason", row.why),
  );
}

const blankRow = (columns) => h("tr.waiting", h("th"), h("td", { colspan: columns + 1 }));

/** Whether a place is in runs of [first, length]. */
function inside(runs) {
  return (place) => {
    let [low, high] = [0, runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle][0] <= place) low = middle + 1;
      else high = middle;
    }
    return low > 0 && place < runs[low - 1][0] + runs[low - 1][1];
  };
}

function map(height, lit, left) {
  const bars = (runs, kind, x) =>
    runs.map(([first, length]) =>
      s("rect", {
        x,
        y: first,
        width: 10 - x,
        height: Math.max(length, height / 150),
        class: kind,
      }),
    );
  return s(
    "svg",
    { viewBox: `0 0 10 ${Math.max(1, height)}`, preserveAspectRatio: "none" },
    bars(left, "m-left", 6),
    bars(lit, "m-lit", 0),
  );
}

/**
 * A grid that lives as long as its screen; update() sets what it shows:
 * rev, columns, roles, check (its rows are lit), only (no other rows), lit and left as runs,
 * framed (columns that the check is about), texts (names that it is about, or null for all).
 */
export function sheetGrid(setRole) {
  const head = h("thead");
  const body = h("tbody");
  const scroll = h(
    "div.scroll",
    { tabindex: "0", role: "region", label: "Rows of the sheet" },
    h("table.grid", head, body),
  );
  const minimap = h("div.minimap", { mute: true });
  const wrap = h("div.gridwrap", scroll, minimap);
  let shown = {
    rev: -1,
    columns: [],
    roles: [],
    lit: [],
    left: [],
    framed: [],
    check: null,
    only: false,
  };
  let sheet = { total: 0, height: 0, titles: [] };
  let rows = new Map();
  let requested = new Set();
  let age = 0;

  async function load(chunk) {
    if (requested.has(chunk)) return;
    requested.add(chunk);
    const mine = age;
    const { check, only } = shown;
    const answer = await gridWindow({
      from: chunk * CHUNK,
      count: CHUNK,
      rows: only ? check : null,
    });
    if (mine !== age) return;
    sheet = answer;
    scroll.setAttribute("aria-label", `Rows of the sheet, ${plural(sheet.height, "row")}`);
    answer.rows.forEach((row, i) => rows.set(answer.from + i, row));
    draw();
  }

  function draw() {
    const tall = rowHeight();
    const titles = shown.only ? [] : sheet.titles;
    const top = Math.max(0, Math.floor(scroll.scrollTop / tall) - titles.length - SPARE);
    const first = Math.min(top, Math.max(0, sheet.total - 1));
    const last = Math.min(sheet.total, first + Math.ceil(scroll.clientHeight / tall) + 2 * SPARE);
    for (let chunk = Math.floor(first / CHUNK); chunk * CHUNK < Math.max(1, last); chunk += 1)
      load(chunk);
    const used = shown.columns.map(({ role }) => Boolean(role) || !shown.roles.length);
    const look = {
      lit: inside(shown.lit),
      used,
      framed: new Set(shown.framed),
      texts: shown.texts,
    };
    const seen = [];
    for (let place = first; place < last; place += 1) {
      const row = rows.get(place);
      seen.push(row ? dataRow(row, look) : blankRow(shown.columns.length));
    }
    const space = (many) =>
      many > 0 &&
      h(
        "tr.space",
        { mute: true },
        h("td", { css: { height: `${many * tall}px` }, colspan: shown.columns.length + 2 }),
      );
    put(
      body,
      titles.map((words, place) =>
        titleRow(words, place, place === titles.length - 1, shown.columns.length),
      ),
      space(first),
      seen,
      space(sheet.total - last),
    );
  }
  let pending = false;
  scroll.addEventListener(
    "scroll",
    () => {
      if (pending) return;
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        draw();
      });
    },
    { passive: true },
  );

  function heads() {
    const active = /** @type {any} */ (document.activeElement)?.dataset?.key;
    put(
      head,
      h(
        "tr",
        h("th.corner", h("span.unseen", "Row")),
        shown.columns.map((column, place) => columnHead(column, place, shown.roles, setRole)),
        h("td.reason"),
      ),
    );
    if (active)
      head.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus({ preventScroll: true });
  }

  function update(now) {
    const stale = now.rev !== shown.rev || now.only !== shown.only || now.check !== shown.check;
    const moved = now.only !== shown.only;
    shown = now;
    if (stale) {
      age += 1;
      requested = new Set();
      if (moved) rows = new Map();
      if (moved) scroll.scrollTop = 0;
    }
    heads();
    put(minimap, map(sheet.height || 1, now.lit, now.left));
    draw();
  }

  /** Scrolls sideways to the first column that the check is about, if it is out of sight. */
  function revealColumn() {
    const cell = head.rows[0]?.cells[(shown.framed[0] ?? -1) + 1];
    if (!shown.framed.length || !cell) return;
    const fixed = head.rows[0].cells[0].offsetWidth;
    const [left, right] = [cell.offsetLeft, cell.offsetLeft + cell.offsetWidth];
    if (left < scroll.scrollLeft + fixed || right > scroll.scrollLeft + scroll.clientWidth)
      scroll.scrollLeft = Math.max(0, left - fixed - 20);
  }

  /** Scrolls to the first lit row. */
  function reveal() {
    revealColumn();
    if (!shown.lit.length || shown.only) {
      scroll.scrollTop = 0;
      return;
    }
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const top = (shown.lit[0][0] + sheet.titles.length) * rowHeight() - 60;
    scroll.scrollTo({ top: Math.max(0, top), behavior: still ? "auto" : "smooth" });
  }
  return { node: wrap, update, reveal };
}
