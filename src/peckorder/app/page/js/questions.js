// The questions of Answer: their words, their methods, and the pictures of their results.
import { button, h, icon, segments } from "./dom.js";
import { rowsOf } from "./elo.js";
import { heat, intervals } from "./figures/certainty.js";
import { densities } from "./figures/densities.js";
import { plan } from "./figures/plan.js";
import { slopes } from "./figures/slopes.js";
import { follow, state } from "./store.js";
import { capital, number, percent } from "./words.js";

export const QUESTIONS = [
  { id: "certain", title: "How certain are the ranks?", method: "Dynamic ratings" },
  { id: "steepness", title: "How steep is the hierarchy?", method: "Steepness" },
  { id: "linear", title: "Is it linear?", method: "Linearity h′, transitivity, I&SI" },
  { id: "enough", title: "Is this enough data?", method: "Recovery" },
  { id: "hours", title: "How many more hours?", method: "Power" },
  { id: "pair", title: "Who would win?", method: "Prediction" },
  { id: "groups", title: "Do the groups differ?", method: "Steepness by group", groups: true },
  { id: "multiverse", title: "Does it survive other choices?", method: "Multiverse", claim: true },
  { id: "fragility", title: "What does the claim hang on?", method: "Fragility", claim: true },
  { id: "next", title: "Whom to watch next?", method: "Next dyads" },
  { id: "stress", title: "Would a takeover have shown?", method: "Stress test", slow: true },
  { id: "compare", title: "Do other methods agree?", method: "Rank orders compared" },
  {
    id: "bayes",
    title: "What does Bayesian Elo say?",
    method: "Published Bayesian Elo",
    slow: true,
  },
];
export const TABLES = ["fragility", "next", "stress"]; // whose table is open at first
const RESOLVED = 0.95;
const TARGETS = [
  ["dyads", "dyads in the correct order"],
  ["steepness", "steepness"],
  ["linearity", "linearity"],
];

const lead = (...text) => h("p.lead", ...text);
const cap = (text) => h("p.cap", text);
const chosen = { claim: null, off: null, view: "intervals", goal: null, rate: null, target: null };

/** The table of a result, numbers to the right. */
export function tableOf(result, { open = false } = {}) {
  if (!result.table?.columns) return null;
  const rows = rowsOf(result.table);
  if (!rows.length) return null;
  const heads = Object.keys(rows[0]);
  const numeric = heads.map((name) =>
    rows.every((row) => row[name] === null || typeof row[name] === "number"),
  );
  const shown = (value) =>
    value === null || value === undefined
      ? "–"
      : typeof value === "number"
        ? Number.isInteger(value)
          ? number(value)
          : number(value, Math.abs(value) < 10 ? 3 : 1)
        : typeof value === "boolean"
          ? value
            ? "yes"
            : "no"
          : String(value);
  return h(
    "details.figdata",
    { key: "result-table", open },
    h("summary", "Table"),
    h(
      "div.scroll.plain",
      { tabindex: "0", role: "region", label: "Table of the result" },
      h(
        "table.sheet",
        h(
          "thead",
          h(
            "tr",
            heads.map((name, i) =>
              h("th", { scope: "col", class: numeric[i] ? "n" : "" }, name.replaceAll("_", " ")),
            ),
          ),
        ),
        h(
          "tbody",
          rows.slice(0, 1000).map((row) =>
            h(
              "tr",
              heads.map((name, i) => h("td", { class: numeric[i] ? "n" : "" }, shown(row[name]))),
            ),
          ),
        ),
      ),
    ),
  );
}

const rest = (result, from = 1) =>
  h(
    "ul.findings",
    [...new Set(result.sentences.slice(from))].map((text) => h("li", text)),
  );

function certain(result, width, refresh) {
  const { ranks, chances, ties, names } = result.extra;
  const rows = rowsOf(ranks).map((row) => ({
    name: row.individual,
    rank: row.rank,
    low: row.rank_low,
    high: row.rank_high,
    low80: row.rank_low80,
    high80: row.rank_high80,
    above: row.p_above_next,
  }));
  const known = rows.filter(({ above }) => above !== null && above !== undefined);
  const resolved = known.filter(({ above }) => above >= RESOLVED).length;
  const options = { follow: state.follow, pick: follow };
  const view = chances ? chosen.view : "intervals";
  const heated = () => rows.map(({ name }) => ({ name, chances: chances[names.indexOf(name)] }));
  return [
    lead(
      h("b", rows[0].name),
      " ranks first and ",
      h("b", rows.at(-1).name),
      ` last. Of the ${number(known.length)} pairs of adjacent ranks, ${resolved === 0 ? "none is" : resolved === 1 ? "one is" : `${number(resolved)} are`} resolved (probability of the order at least ${RESOLVED}).`,
    ),
    chances &&
      segments(
        "View",
        [
          ["intervals", "Rank intervals"],
          ["heat", "Rank probabilities"],
        ],
        view,
        (id) => {
          chosen.view = id;
          refresh();
        },
      ),
    view === "intervals"
      ? intervals(width, { rows, ties: ties.filter(([first, last]) => last > first), ...options })
      : heat(width, { rows: heated(), ...options }),
    cap(
      view === "intervals"
        ? "Dots: ranks. Thick lines: 80% intervals, thin lines: 95% intervals. Bars at the right join individuals that are not distinguishable at 95%."
        : "Each row: probability of every rank, in percent. Values below 5 are not printed.",
    ),
    rest(result, 0),
  ];
}

function measured(result, width) {
  const { densities: list, range, label } = result.extra;
  const chance = result.values.expected?.value ?? null;
  return [
    lead(result.sentences[0]),
    densities(width, list, { label, range, reference: chance }),
    cap(
      list.length > 1
        ? "Dots: estimates; lines: 95% intervals. The number of contests per pair also affects steepness: compare groups with similar effort."
        : `Dot: estimate; line: 95% interval.${chance === null ? "" : " Dashed: what fair coin tosses would give."} Steepness measures how unequal wins are, not whether the order is certain.`,
    ),
    rest(result),
  ];
}

function linear(result) {
  return [
    lead(result.sentences[0]),
    h("h2.minor", null, "Order by I&SI"),
    h(
      "ol.orderline",
      result.extra.order.map((name) => h("li", name)),
    ),
    rest(result),
  ];
}

function gauge({ name, value, low, high, text }) {
  const at = percent((Math.min(high, Math.max(low, value)) - low) / (high - low || 1));
  return h(
    "div.gauge",
    h("span.g-name", name),
    h(
      "div.track",
      { mute: true },
      h("i.fillbar", { css: { width: at } }),
      h("i.dot", { css: { left: at } }),
    ),
    h("span.g-text", text),
  );
}

function enough(result, width) {
  const { verdict, criteria, efforts } = result.extra;
  const points = rowsOf(efforts).map(
    ({ contests, dyads_correct: mid, dyads_correct_se: error }) => ({
      x: contests,
      mid,
      low: Math.max(0, mid - 1.96 * error),
      high: Math.min(1, mid + 1.96 * error),
    }),
  );
  return [
    h(
      "div",
      { class: `verdict ${verdict.ok ? "good" : ""}` },
      h(
        "div.v-head",
        icon(verdict.ok ? "check" : "note", 30),
        h("div", h("b", verdict.title), verdict.text && h("span", capital(verdict.text))),
      ),
      criteria.map(gauge),
    ),
    points.length > 1 && [
      h("h2.minor", null, "If there were more contests"),
      plan(width, 260, {
        points,
        now: points[0].x,
        xlabel: "Contests",
        ylabel: "Dyads in the correct order",
      }),
      cap("Line: mean of simulated data sets; band: 95% interval of the mean."),
    ],
    h("ul.findings", h("li", result.sentences[0])),
    cap(
      "Data sets like this one were simulated from the posterior of its ratings, with the same pairs meeting, and ranked again.",
    ),
  ];
}

/** What can be requested for in advance: a target, a goal and contests per hour. */
function planControls(result, refresh) {
  const goal = chosen.goal ?? result?.values.goal ?? 0.95;
  const rate = chosen.rate ?? result?.chosen?.rate ?? 1;
  const slide = (key, text, value, range) =>
    h(
      "label",
      text,
      h("input", {
        type: "range",
        ...range,
        value,
        key,
        input: ({ target }) => {
          chosen[key] = Number(target.value);
          refresh();
        },
      }),
    );
  return h(
    "div.row.controls",
    h(
      "label",
      "Target",
      h(
        "select",
        {
          key: "target",
          change: ({ target }) => {
            chosen.target = target.value;
            refresh();
          },
        },
        TARGETS.map(([id, text]) =>
          h(
            "option",
            { value: id, selected: id === (chosen.target ?? result?.extra.target ?? "dyads") },
            text,
          ),
        ),
      ),
    ),
    slide("goal", `Goal ${goal.toFixed(2)}`, goal, { min: 0.5, max: 0.99, step: 0.01 }),
    slide("rate", `Contests per hour ${rate.toFixed(1)}`, rate, { min: 0.1, max: 6, step: 0.1 }),
  );
}

const claimed = () => chosen.claim ?? (state.names.length ? `${state.names[0]} first` : "");

/** The claim that is examined, and a button to examine another one. */
const claimControl = (again) => [
  h(
    "label.claim",
    "Claim",
    h("input", {
      type: "text",
      value: claimed(),
      key: "claim",
      spellcheck: "false",
      change: ({ target }) => {
        chosen.claim = target.value;
      },
    }),
    h("small.soft", "Such as: b first; b > c; top 3: a b c; steepness > 0.5; linear."),
  ),
  again && button("Run again", again, { kind: "small", glyph: "play", key: "claim-again" }),
];

/** The rows that a claim hangs on. */
const fragility = (result, width, refresh, again) => [
  lead(result.sentences[0]),
  claimControl(again),
  cap(
    "Table: the rows of the sheet to leave out, one after the other. The claim is false when the margin is no longer above 0. It says how much rests on single rows, and is no test.",
  ),
  rest(result),
];

/** Whom to watch, and which adjacent ranks are resolved. */
const next = (result) => [
  lead(result.sentences[0]),
  h("h2.minor", null, "Order of adjacent ranks"),
  h(
    "div.gauges",
    rowsOf(result.extra.adjacent).map(({ higher, lower, probability: value }) =>
      gauge({ name: `${higher} above ${lower}`, value, low: 0.5, high: 1, text: percent(value) }),
    ),
  ),
  cap(
    "Bars: probability of the order, from 50% to 100%. Table: the contests that teach most, in turn, with the share of the remaining uncertainty that each removes (gain) and how many more contests the dyad needs.",
  ),
  rest(result),
];

/** How soon a takeover would have shown. */
const stress = (result) => [
  lead(result.sentences[0]),
  cap(
    "Records like this one were simulated with and without a takeover: the first and the median-ranked individual exchange their strengths. Other changes may show sooner or later. Table: share of records in which it was shown, quartiles of the days until then (without dates: contests), and the share that shows the same without it.",
  ),
  rest(result),
];

/** In which analyses a claim holds; each level of a choice is a switch. */
function multiverse(result, width, refresh, again) {
  const effects = rowsOf(result.extra.effects);
  const off = new Set(chosen.off ?? result.extra.off);
  const toggle = (name) => {
    if (off.has(name)) off.delete(name);
    else off.add(name);
    chosen.off = [...off];
    refresh();
  };
  const levels = rowsOf(result.extra.levels);
  const gone = [...off].filter((name) => !levels.some((one) => `${one.choice}=${one.level}` === name));
  const row = (choice, level, share) =>
    h(
      "label.gauge.level",
      h(
        "span.g-name",
        h("input", {
          type: "checkbox",
          checked: !off.has(`${choice}=${level}`),
          key: `level-${choice}-${level}`,
          change: () => toggle(`${choice}=${level}`),
        }),
        ` ${level}`,
      ),
      h("div.track", { mute: true }, h("i.fillbar", { css: { width: percent(share ?? 0) } })),
      h("span.g-text", share === null ? "off" : percent(share)),
    );
  return [
    lead(result.sentences[0]),
    claimControl(again),
    effects.map(({ choice, effect }) => [
      h("h2.minor", null, `${choice === "k" ? choice : capital(choice.replaceAll("_", " "))}: ${percent(effect)} of the variance`),
      levels.filter((one) => one.choice === choice).map((one) => row(choice, one.level, one.share)),
      gone
        .filter((name) => name.startsWith(`${choice}=`))
        .map((name) => row(choice, name.slice(choice.length + 1), null)),
    ]),
    cap(
      "Bars: weighted share of analyses in which the claim holds, at each level. “reading” holds the decisions about the sheet that are open. Switch a level off to leave its analyses out.",
    ),
    rest(result),
  ];
}

/** Settings that the next run of a question takes. */
export function settingsFor(ask) {
  if (ask === "multiverse") {
    const given = { claim: claimed(), off: chosen.off ?? [] };
    chosen.off = null;
    return given;
  }
  if (ask === "fragility") return { claim: claimed() };
  if (ask !== "hours") return {};
  const given = { goal: chosen.goal, rate: chosen.rate, target: chosen.target };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
const hasClaim = (ask) => QUESTIONS.some(({ id, claim }) => claim && id === ask);
export const controlsFor = (ask, refresh) =>
  ask === "hours" ? planControls(null, refresh) : hasClaim(ask) ? claimControl() : null;

function hours(result, width, refresh, again) {
  const { have, measure, target, points: curve } = result.extra;
  const rate = chosen.rate ?? result.chosen.rate;
  const { goal, contests } = result.values;
  const points = curve.map(({ contests: many, ...band }) => ({ x: many / rate, ...band }));
  const want = contests === null || contests === undefined ? null : contests / rate;
  const more = want === null ? null : Math.max(0, want - have / rate);
  const other =
    (chosen.goal !== null && Math.abs(chosen.goal - goal) > 1e-9) ||
    (chosen.target ?? target) !== target;
  return [
    want === null
      ? lead(result.sentences[0])
      : lead(
          "About ",
          h("b", `${number(want)} hours`),
          ` of observation in total${more > 0 ? `, ${number(more)} more than so far,` : ", which these data already have,"} reach the goal of ${goal.toFixed(2)}.`,
        ),
    planControls(result, refresh),
    other &&
      button("Run with these settings", again, { kind: "small", glyph: "play", key: "goal-again" }),
    plan(width, 300, {
      points,
      target: goal,
      now: have / rate,
      want,
      xlabel: "Hours of observation",
      ylabel: capital(measure),
    }),
    cap(
      "Line: mean of simulated studies; band: its uncertainty. The app does not know how many hours were observed: contests per hour are yours to set.",
    ),
    rest(result, 0),
  ];
}

function compare(result, width) {
  const table = rowsOf(result.table);
  const methods = Object.keys(table[0] ?? {}).filter(
    (name) => !["individual", "rank"].includes(name),
  );
  return [
    lead(result.sentences[0]),
    slopes(width, {
      methods,
      rows: table.map((row) => ({ name: row.individual, ranks: methods.map((name) => row[name]) })),
      places: state.names,
      follow: state.follow,
      pick: follow,
    }),
    cap("Each line is an individual; rank 1 is at the top."),
    rest(result),
  ];
}

const DRAW = {
  certain,
  bayes: certain,
  steepness: measured,
  groups: measured,
  linear,
  enough,
  hours,
  multiverse,
  fragility,
  next,
  stress,
  compare,
};

/** Draws a result: words first, then the picture. */
export const shown = (ask, result, width, refresh, again) =>
  DRAW[ask](result, width, refresh, again);
