// Answer: how certain, how steep, enough? Each question is a job with a one-line answer.
import { button, code, h, icon, onWidth, put, redraw } from "./dom.js";
import { nothing, provisional } from "./explore.js";
import { active, cancel, jobOf, refreshJobs, resultOf, running, start } from "./jobs.js";
import { pairPanel } from "./pair.js";
import { QUESTIONS, TABLES, controlsFor, settingsFor, shown, tableOf } from "./questions.js";
import { state } from "./store.js";
import { number, percent } from "./words.js";

export { running };

const requested = () =>
  QUESTIONS.filter(({ groups }) => !groups || state.reading.groups.length > 1);
const share = (job) => (job.total ? job.done / job.total : 0);
const stale = (job) => job?.state === "done" && job.current === false;

function left(job) {
  if (job.state === "waiting") return "waiting for a free processor";
  const time =
    job.eta === null || job.eta === undefined
      ? ""
      : job.eta < 90
        ? `, about ${Math.max(1, Math.round(job.eta))} s left`
        : `, about ${number(job.eta / 60)} min left`;
  return job.total ? `${percent(share(job))}${time}` : "running";
}

/** A word about a question: how far it is, or its answer. */
function status({ id, method }) {
  const { job, done } = jobOf(id);
  if (active(job)) return left(job);
  if (job?.state === "failed") return "did not finish";
  if (stale(done)) return "made with earlier settings";
  if (done) return done.head ?? "answered";
  if (job?.state === "cancelled") return "cancelled";
  return id === "pair" ? "any two individuals" : method;
}

const meter = (job, label) =>
  h(
    "span.bar",
    {
      role: "progressbar",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-valuenow": Math.round(100 * share(job)),
      label,
    },
    h("i", { css: { width: percent(share(job)) } }),
  );

function row(question, choose) {
  const { id, title } = question;
  const { job, done } = jobOf(id);
  const busy = active(job);
  const kind = `${id === state.question ? "on" : ""} ${busy ? "running" : done ? "done" : ""} ${!busy && stale(done) ? "stale-one" : ""}`;
  return h(
    "li",
    { class: `ask ${kind}`, "data-ask": id },
    h(
      "button.ask-head",
      { key: `ask-${id}`, "aria-current": String(id === state.question), click: () => choose(id) },
      h("span.lamp", !busy && done && icon("check", 12)),
      h("span.grow", h("b", title), h("small", status(question))),
    ),
    busy &&
      h(
        "span.prog",
        meter(job, title),
        h(
          "button.x",
          { label: `Cancel: ${title}`, key: `cancel-${id}`, click: () => cancel(job.job) },
          icon("close", 14),
        ),
      ),
  );
}

function waitingFor({ id, title }, job) {
  return h(
    "div.blank",
    h("p.soft", "The result appears here. You can go on working meanwhile."),
    h("div.bar.big", meter(job, title).firstChild),
    h("p.small.soft", left(job)),
    button("Cancel", () => cancel(job.job), { glyph: "close", key: `cancel-main-${id}` }),
  );
}

function begin({ id, slow }, job, refresh) {
  const words =
    job?.state === "cancelled"
      ? "Cancelled. Nothing was kept."
      : job?.state === "failed"
        ? job.text
        : `Not requested yet. It runs in the background; you can go on working.${slow ? " This one can take minutes." : ""}`;
  return h(
    "div.blank",
    h("p", { class: job?.state === "failed" ? "" : "soft" }, words),
    controlsFor(id, refresh),
    button("Run", () => start(id, settingsFor(id)), { kind: "primary", glyph: "play", key: "run" }),
  );
}

function sameInCode(lines) {
  return (
    lines &&
    h(
      "div.same",
      h("details", { key: "same-shell" }, h("summary", "Shell"), code(lines.shell, "Shell")),
      h("details", { key: "same-python" }, h("summary", "Python"), code(lines.python, "Python")),
    )
  );
}

function pane(question, width, refresh) {
  const { id, title, method } = question;
  const group =
    state.reading.groups.length > 1
      ? ` · ${id === "groups" ? state.reading.groups.join(", ") : state.settings.group}`
      : "";
  const head = h(
    "header",
    h("span.soft.eyebrow", `${method}${group}`),
    h("h1", null, title),
    provisional(),
  );
  const { job, done } = jobOf(id);
  const result = done && resultOf(done.job);
  const busy = active(job);
  if (id === "pair")
    return [
      head,
      h("div.found", pairPanel(result, busy, refresh)),
      result && sameInCode(result.code),
    ];
  const again = () => start(id, settingsFor(id));
  return [
    head,
    stale(done) &&
      !busy &&
      h(
        "p.stale",
        icon("note", 16),
        "Made with earlier data or settings. ",
        button("Run again", again, { kind: "small", key: "again" }),
      ),
    busy && waitingFor(question, job),
    job?.state === "failed" && done && h("p.stale", icon("warn", 16), job.text),
    result
      ? h("div.found", shown(id, result, width, refresh, again), tableOf(result, { open: TABLES.includes(id) }))
      : done
        ? h("div.bar.live", h("i"))
        : !busy && begin(question, job, refresh),
    result && sameInCode(result.code),
  ];
}

export function mount(root) {
  if (!state.record || !state.reading.contests) {
    put(
      root,
      nothing("Questions about certainty, steepness, sufficiency and groups are answered here."),
    );
    return (changed) => {
      if (changed.has("rev")) mount(root);
    };
  }
  const list = h("ul.questions");
  const box = h("section.result", { label: "Result" });
  const runnable = () =>
    requested().filter(({ id, slow }) => {
      const { job, done } = jobOf(id);
      return !slow && id !== "pair" && !active(job) && (!done || stale(done));
    });
  // One after the other, so that they run in the order in which they stand.
  const runAll = async () => {
    for (const { id } of runnable()) await start(id, settingsFor(id));
  };
  const all = button("Run all", runAll, { glyph: "play", kind: "small", key: "run-all" });
  put(
    root,
    h(
      "div.answer",
      h("aside.asks", { label: "Questions" }, h("header", h("h2", null, "Questions"), all), list),
      box,
    ),
  );
  if (!requested().some(({ id }) => id === state.question)) state.question = "certain";

  const choose = (id) => {
    state.question = id;
    render();
    if (innerWidth <= 900) box.scrollIntoView({ block: "start" });
  };
  function render() {
    if (!list.isConnected) return;
    all.disabled = !runnable().length;
    redraw(list, () =>
      put(
        list,
        requested().map((question) => row(question, choose)),
      ),
    );
    const width = Math.max(240, Math.min(780, box.clientWidth - (innerWidth < 900 ? 34 : 66)));
    redraw(box, () =>
      put(
        box,
        pane(
          requested().find(({ id }) => id === state.question),
          width,
          render,
        ),
      ),
    );
  }
  refreshJobs();
  render();
  onWidth(root, render);
  return (changed) => {
    if (["jobs", "rev", "follow", "names", "theme", "size"].some((part) => changed.has(part)))
      render();
  };
}
