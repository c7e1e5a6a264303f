// The questions of Answer: their words, their methods, and the pictures of their results.
import { button, h, segments } from "./dom.js";
import { rowsOf } from "./elo.js";
import { heat, intervals } from "./figures/certainty.js";
import { densities } from "./figures/densities.js";
import { plan } from "./figures/plan.js";
import { slopes } from "./figures/slopes.js";
import { follow, state } from "./store.js";
import { capital, cut, number, percent } from "./words.js";

export const QUESTIONS = [
  { id: "certain", title: "How certain are the ranks?", method: "Dynamic ratings" },
  { id: "steepness", title: "How steep is the hierarchy?", method: "Steepness" },
  { id: "linear", title: "Is it linear?", method: "Linearity h′, transitivity, I&SI" },
  { id: "enough", title: "Is this enough data?", method: "Recovery" },
  { id: "hours", title: "How many more hours?", method: "Power" },
  { id: "pair", title: "Who would win?", method: "Prediction" },
  { id: "groups", title: "Do the groups differ?", method: "Steepness by group", groups: true },
  { id: "compare", title: "Do other methods agree?", method: "Rank orders compared" },
  { id: "bayes", title: "What does Bayesian Elo say?", method: "Published Bayesian Elo", slow: true },
];
const RESOLVED = 0.95;
const TARGETS = [["dyads", "dyads in the correct order"], ["steepness", "steepness"], ["linearity", "linearity"]];

const lead = (...text) => h("p.lead", ...text);
const cap = (text) => h("p.cap", text);
const chosen = { view: "intervals", goal: null, rate: null, target: null };

/** The table of a result, numbers to the right. */
export function tableOf(result, { open = false } = {}) {
  if (!result.table?.columns) return null;
  const rows = rowsOf(result.table);
  if (!rows.length) return null;
  const heads = Object.keys(rows[0]);
  const numeric = heads.map((name) => rows.every((row) => row[name] === null || typeof row[name] === "number"));
  const shown = (value) => (value === null || value === undefined ? "–" : typeof value === "number"
    ? (Number.isInteger(value) ? number(value) : number(value, Math.abs(value) < 10 ? 3 : 1))
    : typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
  return h("details.figdata", { key: "result-table", open }, h("summary", "Table"),
    h("div.scroll.plain", { tabindex: "0", role: "region", label: "Table of the result" },
      h("table.sheet", h("thead", h("tr", heads.map((name, i) => h("th", { scope: "col", class: numeric[i] ? "n" : "" }, name.replaceAll("_", " "))))),
        h("tbody", rows.slice(0, 1000).map((row) => h("tr", heads.map((name, i) => h("td", { class: numeric[i] ? "n" : "" }, shown(row[name])))))))));
}

const rest = (result, from = 1) => result.sentences.slice(from).map((text) => h("p.finding", text));

function certain(result, width, refresh) {
  const { ranks, chance, indistinct, names } = result.extra;
  const rows = rowsOf(ranks).map((row) => ({
    name: row.individual, rank: row.rank, low95: row.rank_low95, high95: row.rank_high95,
    low80: row.rank_low80, high80: row.rank_high80, above: row.p_above_next }));
  const known = rows.filter(({ above }) => above !== null && above !== undefined);
  const resolved = known.filter(({ above }) => above >= RESOLVED).length;
  const place = new Map(rows.map(({ name }, i) => [name, i]));
  const ties = indistinct.map((group) => group.map((i) => place.get(names[i])).filter((i) => i !== undefined))
    .filter((group) => group.length > 1).map((group) => [Math.min(...group), Math.max(...group)]);
  const options = { follow: state.follow, pick: follow };
  const view = chance ? chosen.view : "intervals";
  const heated = () => rows.map(({ name }) => ({ name, chances: chance[names.indexOf(name)] }));
  return [
    lead(h("b", rows[0].name), " ranks first and ", h("b", rows.at(-1).name), ` last. Of the ${number(known.length)} pairs of adjacent ranks, ${number(resolved)} ${resolved === 1 ? "is" : "are"} resolved (probability of the order at least ${RESOLVED}).`),
    chance && segments("View", [["intervals", "Rank intervals"], ["heat", "Rank probabilities"]], view, (id) => { chosen.view = id; refresh(); }),
    view === "intervals" ? intervals(width, { rows, ties, ...options }) : heat(width, { rows: heated(), ...options }),
    cap(view === "intervals" ? "Dots: ranks. Thick lines: 80% intervals, thin lines: 95% intervals. Bars at the right join individuals that are not distinguishable at 95%."
      : "Each row: probability of every rank, in percent. Values below 5 are not printed."),
    rest(result, 0)];
}

/** The outline of a density, from values in order: how many lie near each place. */
function outline(draws, [low, high], parts = 96) {
  const wide = (high - low) / 36;
  const values = Array.from({ length: parts }, (_, i) => low + (i + 0.5) * (high - low) / parts);
  const heights = values.map((at) => draws.reduce((sum, draw) => sum + Math.exp(-(((at - draw) / wide) ** 2) * 2), 0));
  return { values, heights };
}

const ridge = (name, draws, { mean, low95, high95 }) => ({ name, ...outline(draws, [0, 1]), at: mean, low: low95, high: high95 });

function steepness(result, width) {
  const { value, fair_coins: chance } = result.values;
  return [lead(result.sentences[0]),
    densities(width, [ridge("Posterior", result.extra.draws, value)], { label: "Steepness", range: [0, 1], reference: chance?.mean ?? null }),
    cap(`Dot: estimate; line: 95% interval.${chance ? " Dashed: what fair coin tosses would give." : ""} Steepness measures how unequal wins are, not whether the order is certain.`), rest(result)];
}

function groups(result, width) {
  return [lead(result.sentences[0]),
    densities(width, result.extra.groups.map(({ name, draws, steepness: value }) => ridge(cut(name, 14), draws, value)), { label: "Steepness", range: [0, 1] }),
    cap("Dots: estimates; lines: 95% intervals. The number of contests per pair also affects steepness: compare groups with similar effort."),
    rest(result)];
}

function linear(result) {
  const order = rowsOf(result.extra.isi).sort((one, other) => one.rank - other.rank);
  return [lead(result.sentences[0]), h("h3", null, "Order by I&SI"),
    h("ol.orderline", order.map(({ individual }) => h("li", individual))), rest(result)];
}

function gauge(name, share, text) {
  return h("div.gauge", h("span.g-name", name),
    h("div.track", { mute: true }, h("i.fillbar", { css: { width: percent(share) } }), h("i.dot", { css: { left: percent(share) } })), h("span.g-text", text));
}

function enough(result, width) {
  const { values } = result;
  const [title, ...more] = values.verdict.split("; ");
  const efforts = rowsOf(result.extra.efforts);
  const points = efforts.map(({ contests, dyads_correct: mid, dyads_correct_error: error }) => ({
    x: contests, mid, low: Math.max(0, mid - 1.96 * error), high: Math.min(1, mid + 1.96 * error) }));
  return [
    h("div.verdict", h("div.v-head", h("div", h("b", `${title.replace(/\.$/, "")}.`), more.length > 0 && h("span", capital(more.join("; "))))),
      gauge("Dyads in the correct order", values.dyads_correct, `${percent(values.dyads_correct)} (chance: 50%)`),
      gauge("Rank correlation with the truth", Math.max(0, values.rank_correlation), number(values.rank_correlation, 2)),
      gauge("95% intervals that contain the truth", values.coverage_95, percent(values.coverage_95))),
    points.length > 1 && [h("h3", null, "If there were more contests"),
      plan(width, 260, { points, now: points[0].x, xlabel: "Contests", ylabel: "Dyads in the correct order", whole: true }),
      cap("Line: mean of simulated data sets; band: 95% interval of the mean.")],
    h("p.finding", result.sentences[0]),
    cap("Data sets like this one were simulated from the posterior of its ratings, with the same pairs meeting, and ranked again.")];
}

/** What can be asked for in advance: a target, a goal and contests per hour. */
function planControls(result, refresh) {
  const goal = chosen.goal ?? result?.values.goal ?? 0.95;
  const rate = chosen.rate ?? result?.chosen?.rate ?? 1;
  const slide = (key, text, value, range) => h("label", text, h("input", {
    type: "range", ...range, value, key, input: ({ target }) => { chosen[key] = Number(target.value); refresh(); } }));
  return h("div.row.controls",
    h("label", "Target", h("select", { key: "target", change: ({ target }) => { chosen.target = target.value; refresh(); } },
      TARGETS.map(([id, text]) => h("option", { value: id, selected: id === (chosen.target ?? "dyads") }, text)))),
    slide("goal", `Goal ${goal.toFixed(2)}`, goal, { min: 0.5, max: 0.99, step: 0.01 }),
    slide("rate", `Contests per hour ${rate.toFixed(1)}`, rate, { min: 0.1, max: 6, step: 0.1 }));
}

/** Settings that the next run of a question takes. */
export function settingsFor(ask) {
  if (ask !== "hours") return {};
  const given = { goal: chosen.goal, rate: chosen.rate, target: chosen.target };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
export const controlsFor = (ask, refresh) => (ask === "hours" ? planControls(null, refresh) : null);

function hours(result, width, refresh, again) {
  const rate = chosen.rate ?? result.chosen?.rate ?? 1;
  const { goal, contests } = result.values;
  const points = rowsOf(result.table).map(({ interactions, reached: mid, reached_error: error }) => ({
    x: interactions / rate, mid, low: Math.max(0, mid - 1.96 * error), high: Math.min(1, mid + 1.96 * error) }));
  const have = state.elo?.contests ?? null;
  const want = contests === null || contests === undefined ? null : contests / rate;
  const asked = chosen.goal !== null && Math.abs(chosen.goal - goal) > 1e-9;
  const more = want === null || have === null ? null : Math.max(0, want - have / rate);
  return [
    want === null ? lead(result.sentences[0]) : lead("About ", h("b", `${number(want)} hours`), ` in total${more === null ? "" : more > 0 ? `, ${number(more)} more than so far,` : ", which these data already have,"} reach the goal of ${goal.toFixed(2)}.`),
    planControls(result, refresh),
    (asked || (chosen.target ?? "dyads") !== (result.chosen?.target ?? "dyads")) && button(`Run with the goal ${(chosen.goal ?? goal).toFixed(2)}`, again, { kind: "small", glyph: "play", key: "goal-again" }),
    plan(width, 300, { points, target: goal, now: have === null ? null : have / rate, want, xlabel: "Hours of observation", ylabel: capital(TARGETS.find(([id]) => id === (result.chosen?.target ?? "dyads"))[1]) }),
    cap("Line: mean of simulated studies; band: 95% interval of the mean. The app does not know how many hours were observed: contests per hour are yours to set."),
    rest(result, 0)];
}

function compare(result, width) {
  const table = rowsOf(result.table);
  const methods = Object.keys(table[0] ?? {}).filter((name) => !["individual", "rank"].includes(name));
  return [lead(result.sentences[0]),
    slopes(width, { methods, rows: table.map((row) => ({ name: row.individual, ranks: methods.map((name) => row[name]) })), places: state.names, follow: state.follow, pick: follow }),
    cap("Each line is an individual; rank 1 is at the top."), rest(result)];
}

const DRAW = { certain, bayes: certain, steepness, groups, linear, enough, hours, compare };

/** Draws a result: words first, then the picture. */
export const shown = (ask, result, width, refresh, again) => DRAW[ask](result, width, refresh, again);
