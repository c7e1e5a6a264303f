// Before there are data: where to begin, and what went wrong while reading.
import { button, code, h, icon, s } from "./dom.js";
import {
  cancelOpening,
  forget,
  loadRecent,
  openExample,
  openFiles,
  openText,
  resume,
} from "./opening.js";
import { set, state } from "./store.js";
import { plural, size } from "./words.js";

const EXAMPLES = [
  [
    "field",
    "Field sheet",
    "A messy workbook: two groups, mixed dates, misspelled names. Start here.",
    "M2 20L10 14L18 17L26 8L34 11L46 4",
  ],
  [
    "adv",
    "adv",
    "33 contests among 7 individuals (Albers & de Vries 2001).",
    "M2 12H12V6H22V15H34V9H46",
  ],
  [
    "bonobos",
    "Bonobos",
    "A win matrix of 7 individuals (de Vries et al. 2006).",
    "M4 4h8v8H4zM16 4h8v8h-8zM4 16h8v6H4zM30 10h8v8h-8z",
  ],
  [
    "takeover",
    "A takeover",
    "Simulated contests. A newcomer rises to the top.",
    "M2 20H20V14H28V8H36V4H46",
  ],
  [
    "season",
    "A season",
    "A simulated league of 8 teams with home advantage.",
    "M2 20L14 12L24 16L34 6L46 9",
  ],
];
const KINDS =
  ".csv,.tsv,.txt,.xlsx,.xls,.xlsm,.xlsb,.ods,.parquet,.rds,.rda,.rdata,.boris,.json,.feather,.arrow,.zip";

const art = () =>
  s(
    "svg.art",
    { viewBox: "0 0 120 72", mute: true },
    [0, 1, 2, 3].map((r) =>
      [0, 1, 2].map((c) =>
        s("rect", {
          x: 4 + c * 17,
          y: 8 + r * 14,
          width: 15,
          height: 11,
          rx: 2,
          class: r ? ((r + c) % 3 === 1 ? "a2" : "a1") : "a0",
        }),
      ),
    ),
    s("path.aline", { d: "M60 36h14m-5-5 5 5-5 5" }),
    [
      [84, 12, 30],
      [84, 24, 24],
      [84, 36, 19],
      [84, 48, 12],
      [84, 60, 7],
    ].map(([x, y, w], i) => [
      s("circle", { cx: x, cy: y, r: 3, class: `d${i}` }),
      s("rect.a1", { x: x + 7, y: y - 2.5, width: w, height: 5, rx: 2.5 }),
    ]),
  );

const back = () => set({ phase: null, opening: null, failure: null });

/**
 * A button that lets the browser ask for a file.
 * @param {string} text
 * @param {import("./dom.js").Look} [options]
 */
function fileButton(text, options = {}, accept = KINDS, added = null) {
  const input = h("input", {
    type: "file",
    accept,
    multiple: accept === KINDS,
    class: "unseen",
    tabindex: "-1",
    label: text,
    change: () => {
      if (input.files.length) openFiles([...input.files], added);
      input.value = "";
    },
  });
  return h(
    "span.pick",
    button(text, () => input.click(), options),
    input,
  );
}

/** A dialog for cells copied from a spreadsheet. */
function pasteDialog() {
  const area = h("textarea", {
    rows: 10,
    spellcheck: "false",
    label: "Cells",
    placeholder: "date\twinner\tloser\n2023-05-01\tAbby\tBella",
  });
  const use = button(
    "Use these cells",
    () => {
      dialog.close();
      if (area.value.trim()) openText(area.value);
    },
    { kind: "primary" },
  );
  const dialog = h(
    "dialog.help",
    { label: "Paste cells" },
    h("h2", null, "Paste cells"),
    h("p.soft", "Copy the table in your spreadsheet, its header included, and paste it here."),
    area,
    h(
      "div.row",
      use,
      button("Close", () => dialog.close()),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.focus();
}
const pasteButton = (options = {}) =>
  button("Paste cells", pasteDialog, { glyph: "paste", ...options });

/** Files may be dropped anywhere on the page. */
export function acceptDrops() {
  const over = (on) => document.documentElement.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over(true);
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) over(false);
  });
  addEventListener("drop", (event) => {
    over(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    openFiles(files);
  });
}

const when = (text) =>
  new Date(text).toLocaleString("en-US", {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });

/** Work that is kept on this computer, each saved after its last change. */
function recentWork() {
  const others = state.recent.filter(({ id }) => id !== state.workspace);
  return (
    others.length > 0 &&
    h(
      "section.recent",
      h("h2", null, "Go on with recent work"),
      h(
        "ul",
        others.map((one) =>
          h(
            "li",
            h(
              "button.who",
              { key: `recent-${one.id}`, click: () => resume(one) },
              icon("file", 16),
              h("b", one.name),
            ),
            h("small", `${one.when ? when(one.when) : "still open"}${one.steps ? `, ${plural(one.steps, "step")}` : ""}`),
            h(
              "button.x",
              { label: `Forget ${one.name}`, key: `forget-${one.id}`, click: () => forget(one) },
              icon("close", 14),
            ),
          ),
        ),
      ),
    )
  );
}

let asked = false;

function welcome() {
  if (!asked) loadRecent();
  asked = true;
  setTimeout(() => {
    asked = false;
  }, 1000);
  return h(
    "div.first",
    state.record &&
      h(
        "div.row",
        button(`Back to ${state.record.name}`, back, { glyph: "prev", kind: "small", key: "back" }),
      ),
    h(
      "div.drop",
      art(),
      h("h1", null, "Who outranks whom, and how certain is it?"),
      h(
        "p.soft",
        "Drop a sheet of contests here. Titles, merged headers, misspelled names and mixed dates are fine: each is shown, and nothing is changed without you.",
      ),
      h(
        "div.row",
        fileButton("Choose files", { kind: "primary", glyph: "upload", key: "choose" }),
        state.record &&
          fileButton(
            `Add to ${state.record.name}`,
            { glyph: "upload", key: "add" },
            KINDS,
            state.workspace,
          ),
        pasteButton(),
        fileButton("Open a workspace", { glyph: "file" }, ".zip"),
      ),
      h(
        "p.small.soft",
        `CSV, Excel, ODS, Parquet, R, BORIS, a win matrix. Up to ${Math.round(state.limits.upload / 2 ** 20)} MB. Several files of the same form are joined.`,
      ),
      h("p.private", icon("lock", 16), "Your data stay on this computer."),
    ),
    recentWork(),
    h(
      "section.examples",
      h("h2", null, "Or begin with an example"),
      h(
        "div.cards",
        EXAMPLES.filter(([id]) => state.examples.some(({ name }) => name === id)).map(
          ([id, title, text, path]) =>
            h(
              "button.card",
              { key: `example-${id}`, click: () => openExample(id) },
              s("svg.thumb", { viewBox: "0 0 48 24", mute: true }, s("path", { d: path })),
              h("b", title),
              h("small", text),
            ),
        ),
      ),
    ),
    h(
      "p.soft.center",
      "New to ratings? ",
      h("a", { href: "#/learn" }, "Learn"),
      " shows, contest by contest, how they work.",
    ),
  );
}

function loading({ name, bytes }) {
  return h(
    "div.notice",
    { role: "status" },
    h("div.bar.live", h("i")),
    h("h1", null, `Reading ${name}`),
    h(
      "p.soft",
      `${bytes ? `${size(bytes)}. ` : ""}Looking for the header, the columns and the dates.`,
    ),
    button("Cancel", cancelOpening, { glyph: "close", key: "cancel-opening" }),
  );
}

function failed({ name, title, text, hint, command }) {
  return h(
    "div.notice.bad",
    { role: "alert" },
    icon("warn", 28),
    h("h1", null, title ?? `${name} cannot be read`),
    h("p", text),
    hint && h("p.soft", hint),
    command && code(command),
    h(
      "div.row",
      fileButton("Choose another file", { kind: "primary", glyph: "upload", key: "another" }),
      pasteButton(),
      button("Back", back),
    ),
  );
}

/** What the Data screen shows while there is no sheet. */
export function firstRun() {
  if (state.phase === "loading") return loading(state.opening);
  if (state.phase === "failed") return failed(state.failure);
  if (state.phase === "cancelled") {
    return h(
      "div.notice",
      icon("stop", 28),
      h("h1", null, "Reading was cancelled"),
      h("p.soft", "Nothing was kept. The file is as it was."),
      button("Back", back, { kind: "primary", key: "back" }),
    );
  }
  return welcome();
}
