// The server's answer about ratings, as the figures want it.
import { moment } from "./words.js";

/** A packed column as a plain list. */
export function unpacked(column) {
  if (Array.isArray(column)) return column;
  if (column.codes) return column.codes.map((code) => (code === null ? null : column.values[code]));
  let now = 0;
  return column.steps.map((step) => {
    if (step === null) return null;
    now += step * column.microseconds;
    return new Date(now / 1000)
      .toISOString()
      .slice(0, column.timed ? 19 : 10)
      .replace("T", " ");
  });
}

/** Rows of a packed table: one object each. */
export function rowsOf({ columns, length }) {
  const lists = Object.entries(columns).map(([name, column]) => [name, unpacked(column)]);
  const many = length ?? lists[0]?.[1].length ?? 0;
  return Array.from({ length: many }, (_, i) =>
    Object.fromEntries(lists.map(([name, list]) => [name, list[i]])),
  );
}

const filled = (n, value = 0) => new Array(n).fill(value);

/** Wins of row over column; a tie is half a win for both. */
function winsOf({ row, column, wins, ties }, n) {
  const table = new Float64Array(n * n);
  row.forEach((i, place) => {
    table[i * n + column[place]] += wins[place];
  });
  for (const [i, j, many] of ties ?? []) {
    table[i * n + j] += many / 2;
    table[j * n + i] += many / 2;
  }
  return (i, j) => table[i * n + j];
}

function recordOf({ row, column, wins, ties }, n) {
  const [won, lost, drawn] = [filled(n), filled(n), filled(n)];
  row.forEach((i, place) => {
    won[i] += wins[place];
    lost[column[place]] += wins[place];
  });
  for (const [i, j, many] of ties ?? []) {
    for (const one of [i, j]) drawn[one] += many;
  }
  return { won, lost, drawn };
}

const EMPTY = { row: [], column: [], wins: [], ties: [], who: [] };

/** Ranks with their intervals by place; null where they are not known. */
export function certaintyOf(found, n) {
  if (!found?.who) return null;
  const by = Object.fromEntries(
    ["rank", "low", "high", "above"].map((name) => [name, filled(n, null)]),
  );
  found.who.forEach((i, place) => {
    for (const name of Object.keys(by)) by[name][i] = found[name][place];
  });
  return { ...by, order: found.who };
}

function scoresOf({ who, normds, fitted }) {
  const order = [...who.keys()].sort((one, other) => normds[other] - normds[one]);
  const rank = [];
  order.forEach((place, r) => {
    rank[place] = r + 1;
  });
  return who.map((i, place) => ({
    i,
    rank: rank[place],
    score: normds[place],
    fitted: fitted[place],
  }));
}

const time = (value) => (typeof value === "string" ? moment(value) : value);

/** What Explore shows: lists by place, where a place is a name's position in `names`. */
export function viewOf(answer) {
  const { names } = answer;
  const n = names.length;
  const [rank, rating] = [filled(n, null), filled(n, null)];
  const who = answer.ranking.who ?? [];
  const table = who.length ? rowsOf(answer.ranking) : [];
  who.forEach((i, place) => {
    rank[i] = table[place].rank ?? place + 1;
    rating[i] = table[place].rating;
  });
  const lines = names.map(() => []);
  for (const { who, start, t, y } of answer.lines ?? []) {
    lines[who] = t.map((at, place) => [at, y[place]]);
    if (t.length) lines[who].unshift([t[0] - 1, start]);
  }
  const edges = answer.strip.edges ?? [0, 0];
  const matrix = answer.matrix.who ? answer.matrix : EMPTY;
  const structure = answer.structure ?? {};
  return {
    names,
    rank,
    rating,
    lines,
    order: who.length ? who : matrix.who,
    ...recordOf(matrix, n),
    wins: winsOf(matrix, n),
    met: matrix.who,
    why: Object.fromEntries(
      ["ranking", "matrix", "structure"].map((part) => [part, answer[part]?.why]),
    ),
    kind: answer.dated ? "date" : "contest",
    ordered: answer.ordered,
    span: answer.ordered ? [edges[0], edges.at(-1)] : [0, 0],
    bins: answer.strip.number ?? [],
    said: answer.span?.map(time),
    contests: answer.contests,
    inside: answer.window.contests,
    accuracy: answer.accuracy ?? null,
    structure: { ...structure, scores: structure.who ? scoresOf(structure) : [] },
  };
}
