// What was found in the sheet: one card per check, with the means to decide it.
import { button, code, h, icon } from "./dom.js";
import { decide, givePresence, set, state } from "./store.js";
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

const DECIDED = { join: "joined", apart: "kept apart" };

/** Names that may be the same individual: join them or keep them apart. */
function pairs({ pairs: list }) {
  const apart = list
    .filter(({ decided }) => decided === null)
    .map(({ choices: ways }) =>
      ways.find(({ set: change }) =>
        Object.entries(change.names ?? {}).every(([from, to]) => from === to),
      ),
    )
    .filter(Boolean);
  const keepAll =
    apart.length > 2 &&
    button(
      `Keep all ${apart.length} apart`,
      () =>
        decide(
          { names: Object.assign({}, ...apart.map(({ set: change }) => change.names)) },
          `Kept ${apart.length} pairs of names apart`,
        ),
      { kind: "small", key: "all-apart" },
    );
  return (
    list.length > 0 &&
    h(
      "div.pairs",
      list.map(({ one, other, contests, decided, difference, choices: ways }) =>
        h(
          "div.pair",
          { "data-pair": one },
          h(
            "span.what",
            { title: difference || null },
            h("b", shownBlanks(one)),
            one !== other && [decided === null ? " – " : " → ", h("b", shownBlanks(other))],
            h(
              "small",
              decided ? DECIDED[decided] : contests !== null && plural(contests, "contest"),
            ),
          ),
          h(
            "span.seg",
            { role: "group", label: `${one} and ${other}` },
            ways.map((way) =>
              h(
                "button",
                {
                  key: `${way.label}-${one}`,
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
      keepAll,
    )
  );
}

/** Names that stand for nobody: tick those to leave out. */
function ticks({ names: list }) {
  if (!list.length) return null;
  const ignored = list.filter((one) => one.ignored).map(({ name }) => name);
  const toggled = ({ name, ignored: out }) => {
    const now = out ? ignored.filter((other) => other !== name) : [...ignored, name];
    decide({ ignore: now.length ? now : null }, `${out ? "Kept" : "Left out"} ${name}`);
  };
  return h(
    "div.boxes",
    h("p", "Leave out contests with"),
    list.map((one) =>
      h(
        "label",
        h("input", {
          type: "checkbox",
          checked: one.ignored,
          key: `tick-${one.name}`,
          change: () => toggled(one),
        }),
        ` ${shownBlanks(one.name)}`,
        h("span.chip", number(one.rows)),
      ),
    ),
  );
}

/** Words, for each of which one of several meanings is chosen. */
function menus({ id, menus: list }) {
  if (!list.length) return null;
  return h(
    "div.menus",
    list.map(({ label, detail, options }, row) =>
      h(
        "label",
        h("span", h("b", shownBlanks(label)), detail && h("small", detail)),
        h(
          "select",
          {
            key: `${id}-menu-${row}`,
            change: ({ target }) => {
              const one = options[target.selectedIndex];
              decide(one.set, one.done);
            },
          },
          options.map((one) => h("option", { selected: one.chosen }, one.label)),
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
        menus(check),
        choices(check),
        pairs(check),
        ticks(check),
        check.command && code(check.command),
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
  const means = ({ choices: ways, menus: words, command }) => ways.length + words.length || command;
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
  const notes = reading.checks.filter(({ id }) => id.startsWith("note-"));
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
