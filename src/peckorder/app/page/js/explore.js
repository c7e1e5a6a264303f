// Explore: who outranks whom, and when? All parts show the same individuals and are linked.
import { button, h, onWidth, put, redraw, segments } from "./dom.js";
import { certaintyOf } from "./elo.js";
import { course } from "./figures/course.js";
import { matrix, matrixRows } from "./figures/matrix.js";
import { steep } from "./figures/structure.js";
import { groupRanks } from "./groups.js";
import { ranking } from "./ranking.js";
import { settingsPanel } from "./settings.js";
import { change, follow, loadCode, loadProfile, preview, set, state } from "./store.js";
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
      ", or see ",
      h(
        "a",
        { href: "#/answer", click: () => set({ question: "multiverse" }) },
        "what it would change",
      ),
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
  const reset = button(
    "Whole record",
    () => change({ window: null, date: null, limited: false }, "Whole record"),
    { kind: "small", key: "whole" },
  );
  const parts = {
    ranking: panel("ranking", "Ranking", asof),
    course: panel("course", "Ratings over time", reset),
    matrix: panel("matrix", "Win matrix", scope),
    shape: panel("shape", "Structure"),
  };
  if (state.reading.groups.length > 1) parts.groups = panel("groups", "All groups");
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
  const limiting = h("input", {
    type: "checkbox",
    key: "limited",
    change: () => limitRatings(limiting.checked),
  });
  const limit = h("label.limit", limiting, " The window also limits the ratings");
  const courseData = h("div");
  parts.course.body.append(lines, strip.box, limit, hint, courseData);
  put(
    root,
    h("h1.unseen", null, "Who outranks whom, and when?"),
    h(
      "div.explore",
      settings.node,
      Object.values(parts).map(({ node }) => node),
    ),
  );

  /** Ratings from the window alone; a date before it has no ranking then. */
  function limitRatings(limited) {
    const { window, date } = state.settings;
    const before = limited && window && date !== null && date < window[0];
    change(
      { limited, ...(before ? { date: null } : {}) },
      limited ? "Ratings limited to the window" : "Ratings from the whole record",
    );
  }

  function framed(view, now) {
    if (!now.window)
      return "Drag on the bars to choose a window of time. Move the pin to see the ranking of another day.";
    const [from, to] = now.window;
    const when =
      view.kind === "date" ? span(from, to) : `of contests ${number(from)} – ${number(to)}`;
    const start = number(now.start);
    return `Window ${when}: ${plural(view.inside, "contest")} in the matrix and in the structure. ${
      now.limited
        ? `Ratings use these contests only: everybody restarts at ${start} when the window begins, and those without a contest in it are not ranked.`
        : "Ratings use all contests up to the date."
    }`;
  }

  function withoutOrder() {
    put(
      lines,
      h(
        "p.soft",
        "The order of these contests is not known, so that ratings have no course. The ranking shows means over random orders.",
      ),
    );
    strip.box.hidden = true;
    limit.hidden = true;
    reset.hidden = true;
    hint.textContent = "";
    asof.textContent = "mean of random orders";
  }

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
    hint.textContent = framed(view, now);
    limit.hidden = !now.window;
    limiting.checked = Boolean(now.limited);
    reset.hidden = !now.window && (now.date ?? null) === null;
    const last = now.limited && now.window ? now.window[1] : view.span[1];
    asof.textContent = `end of ${said(now.date ?? last)}`;
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

  /** Empty panels, each with the reason. */
  function blank() {
    const why = state.why ? h("p.soft", state.why) : h("div.bar.live", h("i"));
    drawn.clear();
    for (const body of [parts.ranking.body, parts.matrix.body, parts.shape.body, lines])
      put(body, why.cloneNode(true));
    strip.box.hidden = true;
    put(courseData);
  }

  const methods = () =>
    segments(
      "Ranking",
      [
        ["dynamic", "With certainty"],
        ["elo", "Classic Elo"],
      ],
      state.method,
      (method) => set({ method }),
    );

  /** The ranking with what it rests on, or why there is none. */
  function drawRanking(view) {
    // While a date is dragged, intervals would be those of another day.
    const dragged = ["date", "window", "limited"].some((name) => name in state.moving);
    const wanted = state.method === "dynamic" && !dragged;
    const certain = wanted && certaintyOf(state.certainty, view.names.length);
    const pick = (i) => follow(view.names[i]);
    if (view.why.ranking) return [provisional(), h("p.soft", view.why.ranking)];
    return [
      provisional(),
      methods(),
      wanted && !state.certainty && h("div.bar.live", h("i")),
      ranking({
        ...view,
        certainty: certain || null,
        follow: state.follow,
        pick,
        open: state.reading.doubtful,
      }),
      certain
        ? h(
            "p.cap",
            "Dynamic ratings: ranks with 95% credible intervals, and the probability that each outranks the next. k plays no part here.",
          )
        : [wanted && state.certainty?.why && h("p.cap", state.certainty.why), predicted(view)],
    ];
  }

  function draw() {
    const view = state.elo;
    settings.update();
    if (!view) {
      blank();
      return;
    }
    const place = view.names.indexOf(state.follow);
    const followed = place < 0 ? null : place;
    const pick = (i) => follow(view.names[i]);
    redraw(parts.ranking.body, () => put(parts.ranking.body, drawRanking(view)));
    if (view.ordered) drawCourse(view, followed);
    else withoutOrder();
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
          view.why.structure
            ? h("p.soft", view.why.structure)
            : structure.scores.length > 0
            ? [
                steep(wide, Math.max(220, Math.min(330, wide * 0.62)), {
                  names: view.names,
                  ...structure,
                  follow: followed,
                  pick,
                }),
                provisional(),
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
  if (parts.groups) groupRanks(parts.groups.body);
  onWidth(root, draw);
  return (changed) => {
    if (changed.has("rev")) loadProfile();
    if (parts.groups && (changed.has("hash") || changed.has("settings")))
      groupRanks(parts.groups.body);
    if (changed.has("moving") || changed.has("profile")) settings.update();
    if (["elo", "follow", "theme", "size", "rev", "method", "why", "certainty"].some((part) => changed.has(part))) draw();
  };
}
