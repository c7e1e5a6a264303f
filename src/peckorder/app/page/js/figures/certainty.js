// Ranks with their intervals, and the probability of every rank.
import { s } from "../dom.js";
import { cut, number } from "../words.js";
import { frame, line, look, nice, point, room, scale, text, unpoint, zoom } from "./parts.js";

/** Bars of groups that overlap stand side by side. */
function lanes(groups) {
  const ends = [];
  return [...groups]
    .sort((one, other) => one[0] - other[0])
    .map(([first, last]) => {
      let lane = ends.findIndex((end) => end < first);
      if (lane < 0) lane = ends.length;
      ends[lane] = last;
      return [first, last, lane];
    });
}

/**
 * rows: { name, rank, low, high, low80, high80 } in the order of ranks;
 * ties: [first, last] places of rows that are not distinguishable.
 */
export function intervals(width, { rows, ties = [], follow = null, pick = (_) => {} }) {
  const z = zoom();
  const n = rows.length;
  const gap = (n > 40 ? 17 : 25) * z;
  const bars = lanes(ties);
  const m = {
    l:
      room(
        rows.map(({ name }) => name),
        14,
      ) + 16,
    r: 26 + 8 * Math.max(0, ...bars.map(([, , lane]) => lane + 1)),
    t: 8,
    b: 40 * z,
  };
  const height = m.t + gap * n + m.b;
  const most = Math.max(n, ...rows.map(({ high }) => high));
  const x = scale([1, most], [m.l + 10, width - m.r]);
  const y = (place) => m.t + (place + 0.5) * gap;
  const ticks =
    n <= 20 && width > 22 * n
      ? rows.map((_, place) => place + 1)
      : nice([1, most], 8).filter((v) => v % 1 === 0);
  return frame(
    width,
    height,
    "Ranks with 80% and 95% intervals",
    ticks.map((v) => [
      line(x(v), m.t, x(v), height - m.b, "grid"),
      text(x(v), height - m.b + 16 * z, String(v), { class: "tick mid" }),
    ]),
    text((m.l + width - m.r) / 2, height - 5, "Rank", { class: "title mid" }),
    rows.map((row, place) => {
      const kind = look(row.name, follow);
      return s(
        "g",
        {
          class: `whisker ${kind}`,
          click: () => pick(row.name),
          pointerleave: unpoint,
          pointermove: (event) =>
            point(
              event,
              row.name,
              `rank ${number(row.rank, row.rank % 1 ? 1 : 0)}, 95% interval ${number(row.low)}–${number(row.high)}`,
            ),
        },
        s("rect.hit", { x: 0, y: y(place) - gap / 2, width, height: gap }),
        text(m.l - 8, y(place) + 4, cut(row.name, 14), { class: `name end ${kind}` }),
        line(x(row.low), y(place), x(row.high), y(place), "thin"),
        line(x(row.low80), y(place), x(row.high80), y(place), "thick"),
        s("circle.dot", { cx: x(row.rank), cy: y(place), r: n > 40 ? 4 : 5.5 }),
      );
    }),
    bars.map(([first, last, lane]) =>
      line(
        width - m.r + 14 + 8 * lane,
        y(first) - gap / 3,
        width - m.r + 14 + 8 * lane,
        y(last) + gap / 3,
        "together",
      ),
    ),
  );
}

/** rows: { name, chances } in the order of ranks; chances: the probability of rank 1, 2, … */
export function heat(width, { rows, follow = null, pick = (_) => {} }) {
  const z = zoom();
  const n = rows.length;
  const side =
    room(
      rows.map(({ name }) => name),
      14,
    ) + 14;
  const cell = Math.min(52 * z, (width - side - 2) / n);
  const tall = Math.min(30 * z, Math.max(n > 40 ? 14 : 24, cell));
  const every = Math.max(1, Math.ceil(20 / cell));
  return frame(
    width,
    tall * n + 26 * z,
    "Probability of each rank",
    rows.map(({ name, chances }, r) => [
      text(side - 8, (r + 0.5) * tall + 4, cut(name, 14), {
        class: `name end ${look(name, follow)}`,
        click: () => pick(name),
      }),
      chances.map((p, c) => [
        s("rect", {
          x: side + c * cell + 0.5,
          y: r * tall + 0.5,
          width: Math.max(0.5, cell - 1),
          height: tall - 1,
          rx: 1.5,
          class: `cell won ${follow !== null && name !== follow ? "dim" : ""}`,
          "fill-opacity": p < 0.005 ? 0.03 : 0.08 + 0.92 * p ** 0.7,
          pointerleave: unpoint,
          pointermove: (event) => point(event, name, `rank ${c + 1}: probability ${p.toFixed(2)}`),
        }),
        p >= 0.05 &&
          cell > 26 &&
          text(side + (c + 0.5) * cell, (r + 0.5) * tall + 4, String(Math.round(100 * p)), {
            class: `count mid ${p > 0.42 ? "on" : ""}`,
          }),
      ]),
    ]),
    rows.map(
      (_, c) =>
        c % every === 0 &&
        text(side + (c + 0.5) * cell, tall * n + 17 * z, String(c + 1), { class: "tick mid" }),
    ),
  );
}
