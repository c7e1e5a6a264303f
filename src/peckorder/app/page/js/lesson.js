// The parts of a lesson: who won, what moved, where everybody stands, and how a tour ends.
import { h } from "./dom.js";
import { color, swatch, textColor } from "./figures/parts.js";
import { capital, cut, number } from "./words.js";

/** Contests with the ratings of all individuals before and after each of them. */
export function replayed(answer) {
  const n = answer.names.length;
  const start = answer.settings.start;
  const ratings = new Array(n).fill(start);
  const range = [start, start];
  const lines = answer.names.map(() => [[0, start]]);
  const list = answer.winner.map((winner, place) => {
    const loser = answer.loser[place];
    const [before, after] = [answer.before[place], answer.after[place]];
    [winner, loser].forEach((who, side) => {
      ratings[who] = after[side];
      lines[who].push([place + 1, after[side]]);
      range[0] = Math.min(range[0], after[side]);
      range[1] = Math.max(range[1], after[side]);
    });
    const scored = answer.tie[place] ? 0.5 : 1;
    return {
      winner,
      loser,
      before,
      after,
      scored,
      expected: answer.expected[place],
      moved: after[0] - before[0],
      difference: answer.difference[place],
      home: answer.home[place] ?? 0,
      time: answer.dated ? answer.t[place] : null,
      all: [...ratings],
    };
  });
  return {
    names: answer.names,
    list,
    lines,
    range,
    start,
    curve: answer.curve,
    total: answer.total,
    shuffled: answer.shuffled,
  };
}

/** Winner and loser, and the sum that moved their points. */
export function duel(one, names, k) {
  const tie = one.scored === 0.5;
  const side = (slot) => {
    const who = slot ? one.loser : one.winner;
    const gain = one.after[slot] - one.before[slot];
    return h(
      "div.side",
      h(
        "span.soft",
        `${tie ? "tied" : slot ? "lost" : "won"}${one.home ? (one.home > 0 === (slot === 0) ? ", at home" : ", away") : ""}`,
      ),
      h("b", { css: { color: textColor(who) }, title: names[who] }, cut(names[who], 18)),
      h("span.num", number(one.before[slot]), " → ", h("b", number(one.after[slot]))),
      h(
        "span",
        { class: `delta ${gain < 0 ? "minus" : "plus"}` },
        `${gain < 0 ? "" : "+"}${number(gain, 1)}`,
      ),
    );
  };
  return h(
    "div.duel",
    side(0),
    h(
      "div.mid",
      h("span.soft", "expected score"),
      h("b", one.expected.toFixed(2)),
      h(
        "span.sum",
        `${number(k)} × (${one.scored} − ${one.expected.toFixed(2)}) = ${number(one.moved, 1)}`,
      ),
    ),
    side(1),
  );
}

/** All ratings, with where the two were before. */
export function rails(one, before, { names, range }) {
  const [low, high] = [range[0] - 20, range[1] + 20];
  const x = (value) => `${(100 * (value - low)) / (high - low)}%`;
  const order = [...names.keys()].sort((a, b) => one.all[b] - one.all[a]);
  return h(
    "table.ranking.rails",
    h(
      "tbody",
      order.map((i, place) => {
        const [was, is] = [before[i], one.all[i]];
        return h(
          "tr",
          { class: i === one.winner || i === one.loser ? "active" : "" },
          h("td.n.rank", place + 1),
          h("td", h("span.who", swatch(i), h("span", names[i]))),
          h(
            "td.wide",
            h(
              "div.rail",
              { mute: true },
              h("i.ghost", { css: { left: x(was) } }),
              h("i.moved", {
                css: {
                  left: x(Math.min(was, is)),
                  width: `${(100 * Math.abs(is - was)) / (high - low)}%`,
                  background: color(i),
                },
              }),
              h("i.pt", { css: { left: x(is), background: color(i) } }),
            ),
          ),
          h("td.n", number(is)),
        );
      }),
    ),
  );
}

const HEADS = { k: "k", normds: "Normalized David’s score" };

/** A table with, where there are any, the values of the paper in its last column. */
/** @param {any} table */
function compared({ columns, rows, paper = [], printed: head = "In the paper" }) {
  const printed = new Map(paper);
  const both = paper.some(([, value]) => value !== null);
  const heads = [
    ...columns.map((name) => HEADS[name] ?? capital(name)),
    both && head,
  ].filter(Boolean);
  // As many decimals as the values of a column need.
  const decimals = columns.map((_, i) => {
    const values = rows.map((row) => row[i]).filter((value) => typeof value === "number");
    return values.every((value) => value % 1 === 0)
      ? 0
      : Math.max(...values.map(Math.abs)) < 10
        ? 2
        : 1;
  });
  const cell = (value, i) =>
    typeof value === "number" ? number(value, decimals[i]) : (value ?? "–");
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", label: "Table" },
    h(
      "table.compare",
      h(
        "thead",
        h(
          "tr",
          heads.map((text, i) => h("th", { scope: "col", class: i ? "n" : "" }, text)),
        ),
      ),
      h(
        "tbody",
        rows.map((row) =>
          h(
            "tr",
            row.map((value, i) => h("td", { class: i ? "n" : "" }, cell(value, i))),
            both && h("td.n", cell(printed.get(row[0]), 1)),
          ),
        ),
      ),
    ),
  );
}

/** The result of the paper beside ours, and what else belongs to it. */
/** @param {any} table */
export function ending({ title, source, note, more = [], ...table }) {
  return h(
    "div.panel.end",
    h("header", h("h2", null, title)),
    h("p", note),
    compared(table),
    more.map((part) => [h("h3", null, part.title), h("p", part.note), compared(part)]),
    h("p.cap", source),
  );
}
