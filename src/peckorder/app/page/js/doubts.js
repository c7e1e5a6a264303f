// What is doubtful about the sheet: one card per doubt, with the means to decide it.
import { button, h, icon } from "./dom.js";
import { decide, givePresence, set, state } from "./store.js";
import { visits } from "./visits.js";
import { number, percent, plural, shownBlanks } from "./words.js";

const SIGNS = { wrong: "warn", open: "warn", decided: "check", note: "note" };

/** One choice of several, each with a line that says what follows from it. */
function choices({ id, choices: list }) {
  if (!list.length) return null;
  if (list.length === 1 && !list[0].chosen) {
    const [one] = list;
    return h(
      "div.row",
      button(one.label, () => decide(one.set, one.done), {
        kind: one.suggested ? "small primary" : "small",
        key: `${id}-0`,
      }),
      one.detail && h("small", one.detail),
    );
  }
  return h(
    "div.choice",
    { role: "radiogroup", label: "Decide" },
    list.map((one, place) =>
      h(
        "label",
        { class: one.chosen ? "chosen" : "" },
        h("input", {
          type: "radio",
          name: id,
          checked: one.chosen,
          key: `${id}-${place}`,
          change: () => decide(one.set, one.done),
        }),
        h(
          "span",
          h("b", one.label, one.suggested && h("em.tag", "suggested")),
          one.detail && h("small", one.detail),
        ),
      ),
    ),
  );
}

/** Names, words or behaviors, each with its own choices; those that several share decide for all. */
function items({ id, items: list }) {
  if (!list.length) return null;
  const open = list.filter(({ decided }) => !decided);
  const forAll = (open[0]?.choices ?? []).map((one, place) => {
    const words = one.label.replaceAll(`"${open[0].where}"`, "").trim();
    const same = open.every(
      ({ where, choices: ways }) => ways[place]?.label.replaceAll(`"${where}"`, "").trim() === words,
    );
    return open.length > 2 && same && !one.label.includes("again") && [words, place];
  });
  const all = ([words, place]) =>
    button(
      `All ${open.length}: ${words}`,
      () =>
        decide(
          open.map(({ choices: ways }) => ways[place].set).reduce(joined, {}),
          `${words}: ${open.length}`,
        ),
      { kind: "small", key: `all-${id}-${place}` },
    );
  return h(
    "div.pairs",
    list.map(({ where, other, text, decided, menu, choices: ways }, row) =>
      h(
        "div.pair",
        { "data-pair": where },
        h(
          "span.what",
          h("b", shownBlanks(where)),
          other && [" – ", h("b", shownBlanks(other))],
          text && h("small", text),
        ),
        menu
          ? h(
              "select",
              {
                label: where,
                key: `${id}-menu-${row}`,
                change: ({ target }) => {
                  const one = ways[target.selectedIndex - (decided ? 0 : 1)];
                  if (one) decide(one.set, one.done);
                },
              },
              !decided && h("option", { selected: true }, "not decided"),
              ways.map((one) => h("option", { selected: one.chosen }, one.label)),
            )
          : h(
              "span.seg",
              { role: "group", label: other ? `${where} and ${other}` : where },
              ways.map((way) =>
                h(
                  "button",
                  {
                    key: `${way.label}-${where}`,
                    title: way.detail || null,
                    class: way.suggested ? "suggested" : "",
                    click: () => decide(way.set, way.done),
                  },
                  way.label,
                ),
              ),
            ),
      ),
    ),
    h("div.row", forAll.filter(Boolean).map(all)),
  );
}

/** Two changes as one: what both change within is joined. */
function joined(one, other) {
  const both = { ...one };
  for (const [name, value] of Object.entries(other))
    both[name] =
      value && typeof value === "object" && both[name] ? { ...both[name], ...value } : value;
  return both;
}

/** Cells that cannot be read: each is corrected in place, or its row is left out. */
function cellTools({ id, cells }) {
  if (!cells.length) return null;
  return h(
    "div.cells",
    h("p.small.soft", "Correct a cell (the file stays as it is), or leave its row out."),
    cells.map(({ row, column, text }) =>
      h(
        "div.row",
        h("label.cell", `Row ${row} `, [
          h("input", {
            type: "text",
            value: text,
            size: 14,
            label: `Row ${row}, ${column}`,
            key: `cell-${id}-${row}`,
            change: ({ target }) =>
              decide(
                { cells: { [`${row} ${column}`]: target.value } },
                `Row ${row}, ${column}: ${target.value}`,
              ),
          }),
        ]),
        button(
          "Leave out",
          () => decide({ leave_out: { [row]: true } }, `Row ${row} left out`),
          { kind: "small", key: `out-${id}-${row}` },
        ),
      ),
    ),
  );
}

/** A sheet that says when individuals were present. */
function presenceFile() {
  const input = h("input", {
    type: "file",
    class: "unseen",
    tabindex: "-1",
    label: "File of presence",
    change: () => {
      if (input.files.length) givePresence(input.files[0]);
    },
  });
  return h(
    "span.pick",
    button("From a file", () => input.click(), {
      kind: "small",
      glyph: "upload",
      key: "presence-file",
    }),
    input,
  );
}

function card(check) {
  const on = state.lit === check.id;
  const count = check.rows;
  return h(
    "li",
    { class: `check ${check.state} ${on ? "on" : ""}`, "data-check": check.id },
    h(
      "button.check-head",
      {
        expanded: on,
        key: `check-${check.id}`,
        click: () => set({ lit: on ? null : check.id, only: false }),
      },
      h("span.sign", icon(SIGNS[check.state], 17)),
      h("span.grow", h("b", check.title), h("small", check.text)),
      count > 0 && h("span.chip", number(count)),
    ),
    on &&
      h(
        "div.fix",
        check.id.startsWith("visits") && visits(),
        choices(check),
        items(check),
        cellTools(check),
        check.id === "presence" && check.choices.length > 0 && presenceFile(),
        count > 0 &&
          h(
            "label.only",
            h("input", {
              type: "checkbox",
              checked: state.only,
              key: "only",
              change: ({ target }) => set({ only: target.checked }),
            }),
            ` Show only ${count === 1 ? "this row" : `these ${number(count)} rows`}`,
          ),
      ),
  );
}

/** What remains if nothing is suggested. */
function whatToDo(checks) {
  const wrong = checks.filter((check) => check.state === "wrong");
  const means = ({ id, choices: ways, items: list }) =>
    ways.length + list.length || id.startsWith("visits");
  return wrong.length && !wrong.some(means)
    ? "Choose the roles above the columns, or another header row, shape or sheet."
    : "Without a suggestion: open each of these checks and decide it.";
}

const explore = (text, kind) =>
  button(
    text,
    () => {
      location.hash = "#/explore";
    },
    { kind, key: "go" },
  );

/** The panel beside the sheet. */
export function checksPanel(accept) {
  const { reading } = state;
  const notes = reading.checks.filter(
    ({ id, choices: ways }) => id.startsWith("note-") && !ways.length,
  );
  const cards = reading.checks.filter((check) => !notes.includes(check));
  const decided = reading.checks.filter((check) => check.state === "decided").length;
  const waiting = reading.undecided;
  return h(
    "section.checks",
    { label: "Checks" },
    h(
      "header",
      h("h2", null, "Checks"),
      h("span.soft", `${reading.open} to decide, ${decided} decided`),
    ),
    h(
      "div.meter",
      { role: "img", label: `${decided} of ${reading.open + decided} decided` },
      h("i", {
        css: { width: percent(reading.open + decided ? decided / (reading.open + decided) : 1) },
      }),
    ),
    h(
      "ul",
      { "data-scroll": "checks" },
      cards.map(card),
      notes.length > 0 &&
        h(
          "li.check.note",
          h(
            "details.notes",
            { key: "notes" },
            h(
              "summary",
              h("span.sign", icon("note", 17)),
              h("b", "How the sheet was read"),
              h("span.chip", number(notes.length)),
            ),
            h(
              "ul",
              notes.map(({ text }) => h("li", text)),
            ),
          ),
        ),
    ),
    reading.passed.length > 0 &&
      h(
        "details.passed",
        { key: "passed" },
        h("summary", icon("check", 16), `${plural(reading.passed.length, "check")} passed`),
        h(
          "ul",
          reading.passed.map((text) => h("li", text)),
        ),
      ),
    reading.open > 0
      ? h(
          "footer",
          waiting > 0 &&
            h(
              "p.soft",
              `Provisional: ${plural(waiting, "row")} not decided ${waiting === 1 ? "is" : "are"} left out for now.`,
            ),
          reading.suggested
            ? button("Accept all suggestions", accept, { kind: "wide", key: "all" })
            : h("p.soft", whatToDo(reading.checks)),
          reading.contests > 0 && explore("Explore the ranking so far", "wide"),
        )
      : h(
          "footer.ready",
          h(
            "p",
            icon("check", 18),
            h("b", "Ready. "),
            `${plural(reading.contests, "contest")} among ${plural(reading.individuals, "individual")}.`,
          ),
          explore("Explore the ranking", "primary wide"),
        ),
  );
}
