// Data: is the sheet read correctly?
import { button, h, put, redraw } from "./dom.js";
import { checksPanel } from "./doubts.js";
import { firstRun } from "./first.js";
import { sheetGrid } from "./grid.js";
import { acceptAll, checkRows, decide, loadCode, set, setRole, state } from "./store.js";

const KEY = [
  ["lit", "selected"],
  ["left", "left out"],
  ["new", "changed"],
];

const ALL = "*"; // all sheets with contests

const SHAPES = {
  events: "Winner and loser",
  votes: "Two sides and the winner",
  games: "Games with points",
  arrows: "A > B in one cell",
  matrix: "Win matrix",
};

/** What is to be done if the sheet cannot be read, where it is not the roles of columns. */
const NOT_YET = [
  ["behavior", "Not yet. Say on the right for each behavior who wins."],
  ["visits", "These are visits. Say on the right within which time an arrival is a contest."],
  ["outcome word", "Not yet. Say on the right what each word for the outcome means."],
  ["", "Not yet. Choose roles above the columns: winner and loser, or two sides and who won."],
];

/** What a row of the sheet is; found by itself, and changed by hand. */
function shapes() {
  const { kind, options } = state.reading;
  const found = SHAPES[kind] && !options.kind ? `${SHAPES[kind]} (found)` : "found by itself";
  return h(
    "label",
    "Shape ",
    h(
      "select",
      {
        key: "shape",
        change: ({ target }) =>
          decide({ kind: target.value || null }, `Shape: ${target.selectedOptions[0].textContent}`),
      },
      h("option", { value: "" }, found),
      Object.entries(SHAPES)
        .filter(([id]) => options.kind || id !== kind)
        .map(([id, text]) => h("option", { value: id, selected: id === options.kind }, text)),
    ),
  );
}

function header() {
  const { header: row } = state.reading;
  return (
    row !== undefined &&
    row !== null &&
    h(
      "label",
      "Header row ",
      h("input", {
        type: "number",
        value: row,
        min: 1,
        max: 9999,
        key: "header",
        change: ({ target }) =>
          decide(
            { header: target.value ? Number(target.value) : null },
            `Header in row ${target.value}`,
          ),
      }),
    )
  );
}

function sheetTabs() {
  const { sheets = [] } = state.record;
  return h(
    "footer.sheets",
    h(
      "div",
      { role: "group", label: "Sheets of the workbook" },
      (sheets.length > 1 ? [...sheets, ALL] : sheets).map((name) =>
        h(
          "button",
          {
            pressed: name === state.reading.sheet,
            key: `sheet-${name}`,
            click: () => decide({ sheet: name }, name === ALL ? "All sheets" : `Sheet: ${name}`),
          },
          name === ALL ? "All, joined" : name,
        ),
      ),
    ),
    h(
      "span.soft.keyline",
      KEY.map(([kind, label]) => h("span", h("i", { class: `k-${kind}` }), label)),
    ),
  );
}

/** The names that a check is about, if it is about names. */
function namesOf(check) {
  const names = (check?.items ?? []).filter(({ menu }) => !menu).map(({ where }) => where);
  return names.length ? new Set(names) : null;
}

export function mount(root) {
  let built = null;
  const grid = sheetGrid(setRole);

  function build() {
    const box = h("section.gridbox", { label: "Sheet" }, grid.node);
    const parts = { head: h("header.page"), side: h("div.side-checks"), tabs: h("div"), box };
    box.append(parts.tabs);
    put(root, h("div.data", parts.head, box, parts.side));
    return parts;
  }

  function head() {
    const { reading } = state;
    return [
      h("h1", null, "Is the sheet read correctly?"),
      h(
        "p.soft",
        reading.failure
          ? NOT_YET.find(([id]) => (reading.checks[0]?.id ?? "").startsWith(id))[1]
          : reading.kind === "matrix"
            ? "Rows are winners, columns losers. Decide what is listed on the right."
            : "Check the roles above the columns, then decide what is listed on the right.",
      ),
      h(
        "div.tools",
        header(),
        shapes(),
        button("Other data", () => set({ phase: "welcome" }), {
          kind: "small",
          glyph: "upload",
          key: "other",
        }),
      ),
    ];
  }

  async function render(changed) {
    if (!state.record || state.phase) {
      built = null;
      redraw(root, () => put(root, firstRun()));
      return;
    }
    built ??= build();
    const { reading } = state;
    redraw(built.head, () => put(built.head, head()));
    redraw(built.side, () => put(built.side, checksPanel(acceptAll)));
    redraw(built.tabs, () => put(built.tabs, sheetTabs()));
    const check = reading.checks.find(({ id }) => id === state.lit);
    const showRows = (lit, left) =>
      grid.update({
        rev: state.rev,
        columns: reading.columns,
        roles: reading.kind === "matrix" ? [] : reading.roles,
        check: check?.id ?? null,
        only: Boolean(check) && state.only,
        lit,
        left,
        framed: check?.columns ?? [],
        texts: namesOf(check),
      });
    showRows(state.rows.get(check?.id) ?? [], state.rows.get("left") ?? []);
    const [lit, left] = await Promise.all([check ? checkRows(check.id) : [], checkRows("left")]);
    if (!built || reading !== state.reading || (check?.id ?? null) !== state.lit) return;
    showRows(lit, left);
    if (changed?.has("lit") && check) {
      grid.reveal();
      built.side.querySelector(".check.on")?.scrollIntoView({ block: "nearest" });
    }
  }
  loadCode();
  render();
  return (changed) => {
    if (
      ["rev", "lit", "only", "phase", "failure", "size", "reading", "recent"].some((part) =>
        changed.has(part),
      )
    )
      render(changed);
  };
}
