// Explore: who outranks whom, and when? All parts show the same individuals and are linked.
import { button, h, onWidth, put, redraw, segments } from "./dom.js";
import { course } from "./figures/course.js";
import { matrix, matrixRows } from "./figures/matrix.js";
import { profile } from "./figures/profile.js";
import { steep } from "./figures/structure.js";
import { ranking } from "./ranking.js";
import { MOST_K, change, follow, loadCode, loadProfile, preview, state } from "./store.js";
import { timeStrip } from "./strip.js";
import { count, day, iso, number, percent, plural, span } from "./words.js";

export function nothing(what) {
  return h(
    "div.notice",
    h("h1", null, "No data yet"),
    h("p.soft", what),
    button(
      "Open data",
      () => {
        location.hash = "#/data";
      },
      { kind: "primary" },
    ),
  );
}

/** What must be said wherever a ranking is shown while rows are not decided. */
export function provisional() {
  const waiting = state.reading?.undecided ?? 0;
  return (
    waiting > 0 &&
    h(
      "p.provisional",
      `Provisional: ${plural(waiting, "row")} not decided. `,
      h("a", { href: "#/data" }, "Decide"),
    )
  );
}

const MOST_ROWS = 500;

/** The same data as a table, for readers who do not see the figure; made when it is opened. */
function dataTable(key, heads, rows) {
  const box = h("div.scroll.plain", { tabindex: "0", role: "region", label: "Data of the figure" });
  const fill = ({ target }) => {
    if (!target.open || box.firstChild) return;
    box.append(
      h(
        "table.sheet",
        h(
          "thead",
          h(
            "tr",
            heads.map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h(
          "tbody",
          rows()
            .slice(0, MOST_ROWS)
            .map((row) =>
              h(
                "tr",
                row.map((cell) => h("td", cell)),
              ),
            ),
        ),
      ),
    );
  };
  return h("details.figdata", { key, toggle: fill }, h("summary", "Data"), box);
}

function panel(id, title, ...more) {
  const body = h("div.body");
  return {
    body,
    node: h(
      "section",
      { class: `panel p-${id}`, label: title },
      h("header", h("h2", null, title), ...more),
      body,
    ),
  };
}

/** A slider that shows its effect while it moves and is one step of undo when it is released. */
function slider(id, { min, max, step, label }) {
  const input = h("input", {
    id,
    type: "range",
    min,
    max,
    step,
    input: () => preview({ [id]: Number(input.value) }),
    change: () => change({ [id]: Number(input.value) }, `${label} = ${input.value}`),
  });
  return input;
}

function settingsPanel() {
  const kOut = h("output", { for: "k" });
  const k = slider("k", { min: 0, max: MOST_K, step: 5, label: "k" });
  const chart = h("div.fill");
  const words = h("p.cap");
  const best = button("Use the lowest log loss", () => change({ k: best.k }, `k = ${best.k}`), {
    kind: "small",
    key: "best",
  });
  const curve = h(
    "select",
    { id: "curve", change: () => change({ curve: curve.value }, `Curve: ${curve.value}`) },
    state.curves.map((name) => h("option", { value: name }, name)),
  );
  const start = h("input", {
    id: "start",
    type: "number",
    step: 100,
    change: () => change({ start: Number(start.value) || 0 }, `Start: ${start.value}`),
  });
  const home = slider("home", { min: 0, max: 200, step: 5, label: "Home advantage" });
  const homeOut = h("output", { for: "home" });
  const groups = h("div");
  const { groups: all, home: homes } = state.reading;
  const node = h(
    "aside.options",
    { label: "Settings" },
    all.length > 1 && h("div.opt", h("span.lab", "Group"), groups),
    h(
      "div.opt",
      h("label", { for: "k" }, "k, points at stake", kOut),
      k,
      h("span.lab.sub", "Log loss at each k"),
      chart,
      words,
      best,
    ),
    h(
      "details.opt.more",
      { open: innerWidth > 900, key: "more" },
      h("summary", "More settings"),
      h("label", { for: "curve" }, "Curve"),
      curve,
      h("label", { for: "start" }, "Start"),
      start,
      homes
        ? [h("label", { for: "home" }, "Home advantage", homeOut), home]
        : [h("span.lab", "Home advantage"), h("p.cap", "No home column in these data.")],
    ),
  );

  function chooseGroup() {
    const pick = (group) => change({ group, window: null, date: null }, `Group: ${group}`);
    if (all.length <= 4)
      return segments(
        "Group",
        all.map((name) => [name, name]),
        state.settings.group,
        pick,
      );
    return h(
      "select",
      { label: "Group", key: "group", change: ({ target }) => pick(target.value) },
      all.map((name) =>
        h("option", { value: name, selected: name === state.settings.group }, name),
      ),
    );
  }

  function update() {
    const now = { ...state.settings, ...state.moving };
    k.value = now.k;
    kOut.textContent = count(now.k);
    if (document.activeElement !== start) start.value = now.start;
    curve.value = now.curve;
    home.value = now.home ?? 0;
    homeOut.textContent = now.home ?? 0;
    if (all.length > 1) redraw(groups, () => put(groups, chooseGroup()));
    const found = state.profile;
    best.hidden = !found;
    if (!found) {
      put(chart);
      words.textContent = "";
      return;
    }
    put(
      chart,
      profile(Math.max(200, chart.clientWidth), 64, { ...found, at: now.k, most: MOST_K }),
    );
    best.k = Math.min(MOST_K, Math.round(found.best[0]));
    best.disabled = Math.round(now.k) === best.k;
    const here = found.points.reduce((one, other) =>
      Math.abs(other[0] - now.k) < Math.abs(one[0] - now.k) ? other : one,
    );
    words.textContent =
      now.k === 0
        ? "With k = 0 ratings never change."
        : `Log loss ${here[1].toFixed(3)}; lowest ${found.best[1].toFixed(3)} at k = ${count(Math.round(found.best[0]))}.${found.support ? ` Shaded: fits about as well (${count(Math.round(found.support[0]))}–${count(Math.round(found.support[1]))}).` : ""}`;
  }
  return { node, update };
}

const known = (value) => value !== null && value !== undefined;

function structureFacts({ steepness, linearity, unknown, dyads }) {
  const fact = (name, value, text) => h("div", h("dt", name), h("dd", value, h("small", text)));
  return h(
    "dl.facts",
    fact("Steepness", number(steepness, 2), "0: equal, 1: each beats all below"),
    fact("Linearity h′", number(linearity, 2), known(linearity) ? "1: fully linear" : "see Answer"),
    fact(
      "Unknown dyads",
      known(unknown) ? `${number(unknown)} of ${number(dyads)}` : "–",
      known(unknown) && dyads ? percent(unknown / dyads) : "see Answer",
    ),
  );
}

function predicted({ accuracy, ordered }) {
  if (!ordered)
    return h(
      "p.cap",
      "The order of the contests is not known: ratings are means over random orders.",
    );
  if (!accuracy?.decided) return null;
  return h(
    "p.cap",
    `Elo predicted ${count(accuracy.correct)} of ${number(accuracy.decided)} winners in advance (${percent(accuracy.share)}).`,
  );
}

/** As tall as the ranking beside it, within reason. */
function courseHeight(width, beside) {
  if (width < 480) return 300;
  if (innerWidth <= 1180) return 380;
  if (innerWidth >= 1700) return Math.max(520, Math.min(1100, innerHeight - 360));
  return Math.max(380, Math.min(620, beside - 210));
}

export function mount(root) {
  if (!state.record || !state.reading.contests) {
    put(
      root,
      nothing(
        "Ratings, the win matrix and the structure appear here as soon as there are contests.",
      ),
    );
    return (changed) => {
      if (changed.has("rev")) mount(root);
    };
  }
  const asof = h("span.soft");
  const scope = h("span.soft");
  const reset = button("Whole record", () => change({ window: null, date: null }, "Whole record"), {
    kind: "small",
    key: "whole",
  });
  const parts = {
    ranking: panel("ranking", "Ranking", asof),
    course: panel("course", "Ratings over time", reset),
    matrix: panel("matrix", "Win matrix", scope),
    shape: panel("shape", "Structure"),
  };
  const settings = settingsPanel();
  const strip = timeStrip(({ window, date }, done) => {
    const label =
      (window ?? []).join() === (state.settings.window ?? []).join()
        ? "Date of the ranking"
        : "Time window";
    if (done) change({ window, date }, label);
    else preview({ window, date });
  });
  const lines = h("div.fill");
  const hint = h("p.cap");
  const courseData = h("div");
  parts.course.body.append(lines, strip.box, hint, courseData);
  put(
    root,
    h("h1.unseen", null, "Who outranks whom, and when?"),
    h(
      "div.explore",
      settings.node,
      Object.values(parts).map(({ node }) => node),
    ),
  );

  function drawCourse(view, followed) {
    const now = { ...state.settings, ...state.moving };
    const figure = course(
      lines.clientWidth,
      courseHeight(lines.clientWidth, parts.ranking.body.offsetHeight + 64),
      {
        ...view,
        span: now.window ?? view.span,
        follow: followed,
        date: now.date ?? null,
        pick: (i) => follow(view.names[i]),
      },
    );
    put(lines, figure);
    strip.box.hidden = view.span[0] === view.span[1];
    if (!strip.box.hidden)
      strip.update({
        bins: view.bins,
        span: view.span,
        kind: view.kind,
        window: now.window ?? null,
        date: now.date ?? null,
        margins: figure.margins,
      });
    const said = (value) => (view.kind === "date" ? day(value) : `contest ${number(value)}`);
    hint.textContent = now.window
      ? `Window ${view.kind === "date" ? span(...now.window) : `of contests ${now.window.map((v) => number(v)).join(" – ")}`}: ${plural(view.inside, "contest")} in the matrix and in the structure. Ratings use all contests up to the date.`
      : "Drag on the bars to choose a window of time. Move the pin to see the ranking of another day.";
    reset.hidden = !now.window && (now.date ?? null) === null;
    asof.textContent = `end of ${said(now.date ?? view.span[1])}`;
    redraw(courseData, () =>
      put(
        courseData,
        dataTable(
          "data-course",
          ["Individual", view.kind === "date" ? "Date" : "Contest", "Rating"],
          () =>
            view.names.flatMap((name, i) =>
              view.lines[i]
                .filter(([, v]) => v !== null)
                .slice(-3)
                .map(([t, v]) => [name, view.kind === "date" ? iso(t) : number(t), number(v, 1)]),
            ),
        ),
      ),
    );
  }

  // What a part was drawn from; it is not drawn again from the same.
  const drawn = new Map();
  function fresh(part, ...from) {
    const known = drawn.get(part);
    const now = [...from, parts[part].body.clientWidth, state.theme, state.size];
    drawn.set(part, now);
    return !known || now.some((one, i) => one !== known[i]);
  }

  function draw() {
    const view = state.elo;
    settings.update();
    if (!view) return;
    const place = view.names.indexOf(state.follow);
    const followed = place < 0 ? null : place;
    const pick = (i) => follow(view.names[i]);
    redraw(parts.ranking.body, () =>
      put(
        parts.ranking.body,
        provisional(),
        ranking({ ...view, follow: state.follow, pick }),
        predicted(view),
      ),
    );
    drawCourse(view, followed);
    scope.textContent = `${plural(view.inside, "contest")}${state.settings.window || state.settings.date ? " in the window" : ""}`;
    if (fresh("matrix", state.raw?.matrix, view.order.join(), followed))
      redraw(parts.matrix.body, () =>
        put(
          parts.matrix.body,
          matrix(parts.matrix.body.clientWidth, {
            names: view.names,
            wins: view.wins,
            order: view.order,
            follow: followed,
            pick,
          }),
          h(
            "p.cap.keys",
            [
              ["won", "wins of row over column"],
              ["upset", "against the order"],
              ["unknown", "no contest"],
            ].map(([kind, label]) => h("span", h("i", { class: `k-${kind}` }), label)),
          ),
          dataTable("data-matrix", ["Winner", "Loser", "Wins"], () => matrixRows(view, MOST_ROWS)),
        ),
      );
    const { structure } = view;
    const wide = parts.shape.body.clientWidth;
    if (fresh("shape", state.raw?.structure, followed))
      redraw(parts.shape.body, () =>
        put(
          parts.shape.body,
          structure.scores.length > 0
            ? [
                steep(wide, Math.max(220, Math.min(330, wide * 0.62)), {
                  names: view.names,
                  ...structure,
                  follow: followed,
                  pick,
                }),
                structureFacts(structure),
                dataTable("data-shape", ["Individual", "Rank", "Normalized David’s score"], () =>
                  structure.scores.map(({ i, rank, score }) => [
                    view.names[i],
                    count(rank),
                    score.toFixed(2),
                  ]),
                ),
              ]
            : h("p.soft", "No contests in this window."),
        ),
      );
  }
  loadCode();
  loadProfile();
  draw();
  onWidth(root, draw);
  return (changed) => {
    if (changed.has("rev")) loadProfile();
    if (changed.has("moving") || changed.has("profile")) settings.update();
    if (["elo", "follow", "theme", "size", "rev"].some((part) => changed.has(part))) draw();
  };
}
