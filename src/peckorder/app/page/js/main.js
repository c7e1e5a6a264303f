// The frame of the app: steps, data bar, code bar, keys. Screens are mounted in the middle.
import { button, code, h, icon, logo, put, redraw, say, segments } from "./dom.js";
import { acceptDrops } from "./first.js";
import { onPresence, send } from "./server.js";
import { begin, listen, redo, set, state, undo, moveK } from "./store.js";
import { mount as answer, running } from "./answer.js";
import { mount as data } from "./data.js";
import { mount as explore } from "./explore.js";
import { mount as learn } from "./learn.js";
import { mount as take } from "./take.js";
import { number, span } from "./words.js";

const SCREENS = {
  data: ["Data", data],
  explore: ["Explore", explore],
  answer: ["Answer", answer],
  take: ["Take away", take],
  learn: ["Learn", learn],
};
const KEYS = [
  ["1–5", "go to a screen"],
  ["f", "follow an individual"],
  ["Esc", "stop following, close"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
  ["[ and ]", "k down, k up"],
  ["← →, Space", "step, play (Learn)"],
  ["c", "show the code"],
  ["t", "light or dark"],
  ["?", "this list"],
];
const root = document.documentElement;

const steps = (kind) =>
  h(
    "nav",
    { class: kind, label: kind === "steps" ? "Screens" : "Screens, below" },
    Object.entries(SCREENS).map(([id, [title]]) =>
      h("a", { href: `#/${id}`, "data-screen": id }, icon(id, 19), h("span", title)),
    ),
  );

const tool = (glyph, label, run, kind = "") =>
  h("button", { class: `tool ${kind}`, label, title: label, click: run }, icon(glyph));
const back = tool("undo", "Undo", undo);
const forth = tool("redo", "Redo", redo);
const otherTheme = () => set({ theme: state.theme === "dark" ? "light" : "dark" });
const theme = tool("moon", "Light or dark (t)", otherTheme);
const larger = tool(
  "size",
  "Larger text, for a projector",
  () => set({ size: state.size ? "" : "large" }),
  "wide-only",
);
const help = h(
  "dialog.help",
  { label: "Keyboard" },
  h("h2", null, "Keyboard"),
  h(
    "dl",
    KEYS.map(([key, text]) => [h("dt", h("kbd", key)), h("dd", text)]),
  ),
  button("Close", () => help.close(), { kind: "primary" }),
);
const quit = tool("quit", "Quit the app", async () => {
  await send("POST", "/api/quit");
  quit.blur();
});
const keys = tool("more", "Keyboard (?)", () => help.showModal());
const bar = h("div.databar", { role: "region", label: "Data" });
const main = h("main", { id: "main", tabindex: "-1" });
const foot = h("footer.codebar", { label: "Same in code" });
const gone = h(
  "div.gone",
  { role: "alert", hidden: true },
  icon("warn", 18),
  h(
    "p",
    h("b", "The app has ended. "),
    "Your work was saved after every change. Start ",
    h("code", "peckorder app"),
    " again: this page then goes on by itself or, if the app has another address now, its start page lists the work.",
  ),
);

document
  .getElementById("app")
  .append(
    h(
      "header.topbar",
      h("a.brand", { href: "#/data" }, logo(), h("span", "peckorder")),
      steps("steps"),
      h("div.tools", { role: "group", label: "Tools" }, back, forth, larger, theme, keys, quit),
    ),
    gone,
    bar,
    main,
    foot,
    steps("tabs"),
    help,
  );

// Follow is a field of its own that keeps its focus.
const names = h("datalist", { id: "names" });
const followed = h("input", {
  id: "follow",
  list: "names",
  placeholder: "Follow…",
  label: "Follow an individual",
  autocomplete: "off",
  spellcheck: "false",
  input: () => {
    if (state.names.includes(followed.value)) set({ follow: followed.value });
    else if (!followed.value) set({ follow: null });
  },
});
const followBox = h("label.follow", icon("eye", 16), followed, names);
const facts = h("div.facts");
const pills = h("div.pills");
bar.append(facts, pills, followBox);

function pill(found) {
  if (found.failure)
    return h("a.pill.bad", { href: "#/data" }, icon("warn", 15), "cannot be read yet");
  if (!found.open) return h("a.pill.fine", { href: "#/data" }, icon("check", 15), "data checked");
  const bad = found.checks.some((check) => check.state === "wrong");
  return h(
    `a.pill.${bad ? "bad" : "open"}`,
    { href: "#/data" },
    icon("warn", 15),
    `${found.open} to decide`,
  );
}

function dataBar() {
  const { reading, record } = state;
  bar.hidden = !record;
  if (!record) return;
  const fact = (value, word) => h("span", h("b", number(value)), ` ${word}`);
  const shown = [...names.children].map((option) => option.value);
  if (shown.join("\n") !== state.names.join("\n"))
    put(
      names,
      state.names.map((name) => h("option", { value: name })),
    );
  if (document.activeElement !== followed) followed.value = state.follow ?? "";
  followBox.classList.toggle("on", Boolean(state.follow));
  const many = running();
  put(
    facts,
    h("a.filename", { href: "#/data", title: record.name }, icon("file", 16), h("b", record.name)),
    fact(reading.contests, reading.contests === 1 ? "contest" : "contests"),
    fact(reading.individuals, "individuals"),
    reading.groups.length > 1 && fact(reading.groups.length, "groups"),
    h("span.range", reading.span ? span(...reading.span) : "no dates"),
  );
  put(
    pills,
    many > 0 && h("a.pill.run", { href: "#/answer" }, h("i.spin"), `${many} running`),
    pill(reading),
  );
}

function codeBar() {
  foot.hidden = !state.record || !state.code.shell || !["data", "explore"].includes(state.screen);
  foot.classList.toggle("open", state.codeOpen);
  if (foot.hidden) return;
  redraw(foot, () =>
    put(
      foot,
      h(
        "div.codehead",
        h(
          "button.codetoggle",
          {
            expanded: state.codeOpen,
            key: "code",
            click: () => set({ codeOpen: !state.codeOpen }),
          },
          icon("code", 16),
          h("span", "Same in code"),
        ),
        state.codeOpen
          ? segments(
              "Language",
              [
                ["shell", "Shell"],
                ["python", "Python"],
              ],
              state.tongue,
              (tongue) => set({ tongue }),
            )
          : h("code.peek", state.code.shell.replace(/\s*\\\n\s*/g, " ")),
      ),
      state.codeOpen && [
        state.code.note && h("p.provisional", state.code.note),
        code(state.code[state.tongue], "Code"),
      ],
    ),
  );
}

let troubled = null;
/** What could not be done, for a while, at the bottom. */
function toast() {
  if (!state.trouble) return;
  const words = state.trouble;
  state.trouble = null;
  troubled?.remove();
  const mine = h(
    "div.toast",
    { role: "alert" },
    icon("warn", 18),
    h("p", words),
    h("button.x", { label: "Close", click: () => mine.remove() }, icon("close", 14)),
  );
  troubled = mine;
  document.body.append(mine);
  setTimeout(() => mine.remove(), 12000);
}

function frame() {
  toast();
  root.dataset.theme = state.theme;
  root.dataset.size = state.size;
  root.dataset.data = state.record ? "yes" : "no";
  put(theme, icon(state.theme === "dark" ? "sun" : "moon"));
  for (const [node, entry, word] of [
    [back, state.undo, "Undo"],
    [forth, state.redo, "Redo"],
  ]) {
    const label = entry ? `${word}: ${entry}` : word;
    node.disabled = !entry;
    node.setAttribute("aria-label", label);
    node.title = label;
  }
  quit.hidden = !state.quits;
  dataBar();
  codeBar();
}

function requestedScreen() {
  const name = location.hash.slice(2);
  return name in SCREENS ? name : "data";
}

/** @type {(changed?: Set<string>) => void} */
let update = () => {};
function show() {
  state.screen = requestedScreen();
  const [title, mount] = SCREENS[state.screen];
  document.title = `${title} – peckorder`;
  for (const link of /** @type {any} */ (document.querySelectorAll("a[data-screen]"))) {
    if (link.dataset.screen === state.screen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  root.dataset.screen = state.screen;
  // A container of its own: what the last screen observed goes with it.
  const box = h("div.screen");
  main.replaceChildren(box);
  update = mount(box) ?? (() => {});
  scrollTo(0, 0);
  frame();
}

const WRITING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea";
const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), select, textarea";
function pressed(event) {
  const typing = event.target.matches?.(TYPING);
  const held = event.ctrlKey || event.metaKey;
  if (held && event.key.toLowerCase() === "z" && !event.target.matches?.(WRITING)) {
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
    return;
  }
  if (
    (typing && event.key !== "Escape") ||
    held ||
    event.altKey ||
    document.querySelector("dialog[open]")
  )
    return;
  const screen = Object.keys(SCREENS)[Number(event.key) - 1];
  if (screen) location.hash = `#/${screen}`;
  else if (event.key === "f" && state.record) {
    event.preventDefault();
    followed.focus();
    followed.select();
  } else if (event.key === "Escape") {
    set({ follow: null, lit: null, only: false });
    /** @type {any} */ (document.activeElement)?.blur?.();
  } else if (event.key === "[" || event.key === "]") moveK(event.key === "]" ? 10 : -10);
  else if (event.key === "c") set({ codeOpen: !state.codeOpen });
  else if (event.key === "t") otherTheme();
  else if (event.key === "?") help.showModal();
}

async function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  state.theme = dark.matches ? "dark" : "light";
  dark.addEventListener("change", () => set({ theme: dark.matches ? "dark" : "light" }));
  frame();
  await begin();
  show();
  listen((changed) => {
    if (changed.has("record") || changed.has("remount")) show();
    else update(changed);
    if (changed.size > 1 || !changed.has("moving")) frame(); // a drag changes nothing outside
  });
  addEventListener("hashchange", () => {
    // The address of the screen that is shown already, as after opening a file, changes nothing:
    // this comes late on a busy machine, and would take the focus away.
    if (!location.hash.startsWith("#/") || requestedScreen() === state.screen) return;
    show();
    main.focus({ preventScroll: true });
    say(SCREENS[state.screen][0]);
  });
  document.addEventListener("keydown", pressed);
  onPresence((here) => {
    gone.hidden = here;
    if (here)
      begin().then(() => {
        show();
        say("The server is back.");
      });
  });
  acceptDrops();
}
start();
