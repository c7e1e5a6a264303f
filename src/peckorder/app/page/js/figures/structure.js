// Normalized David's scores by rank, with the line whose slope is the steepness.
import { s } from "../dom.js";
import { cut, number } from "../words.js";
import { frame, line, look, nice, point, scale, text, unpoint, zoom } from "./parts.js";

/** scores: one { i, rank, score, fitted } for every individual that has a score. */
export function steep(width, height, { names, scores, steepness, follow = null, pick = (_) => {} }) {
  const z = zoom();
  const n = scores.length;
  const m = { l: 38 * z, r: 14, t: 18, b: 38 * z };
  const x = scale([0.5, n + 0.5], [m.l, width - m.r]);
  const y = scale([0, Math.max(1, n - 1)], [height - m.b, m.t]);
  const ordered = [...scores].sort((one, other) => one.rank - other.rank);
  const path = ordered
    .map(({ rank, fitted }, place) => `${place ? "L" : "M"}${x(rank)},${y(fitted)}`)
    .join("");
  const every = Math.max(1, Math.ceil(n / Math.max(2, Math.floor((width - m.l) / 34))));
  // A label that would touch the one before it stands below its dot.
  const below = [];
  ordered.forEach(({ rank, score }, place) => {
    const last = ordered[place - 1];
    const near = last && x(rank) - x(last.rank) < 46 && Math.abs(y(score) - y(last.score)) < 12;
    below.push(Boolean(near) && !below[place - 1]);
  });
  const crowded = n > 14 || width < 300;
  return frame(
    width,
    height,
    `Normalized David’s scores by rank; steepness ${number(steepness, 2)}`,
    nice([0, Math.max(1, n - 1)], 5).map((v) => [
      line(m.l, y(v), width - m.r, y(v), "grid"),
      text(m.l - 7, y(v) + 4, String(v), { class: "tick end" }),
    ]),
    scores.map(
      (_, i) =>
        i % every === 0 &&
        text(x(i + 1), height - m.b + 16 * z, String(i + 1), { class: "tick mid" }),
    ),
    line(m.l, height - m.b, width - m.r, height - m.b, "axis"),
    text((m.l + width - m.r) / 2, height - 5, "Rank (David’s score)", { class: "title mid" }),
    s("path.fit", { d: path }),
    scores.map(({ i, rank, score }) =>
      s("circle", {
        cx: x(rank),
        cy: y(score),
        r: i === follow ? 6.5 : n > 60 ? 2.5 : 5,
        class: `dot ${n > 60 ? "tiny" : ""} ${look(i, follow)}`,
        click: () => pick(i),
        pointerleave: unpoint,
        pointermove: (event) =>
          point(
            event,
            names[i],
            `rank ${number(rank, rank % 1 ? 1 : 0)}, score ${score.toFixed(2)}`,
          ),
      }),
    ),
    ordered.map(
      ({ i, rank, score }, place) =>
        (!crowded || i === follow) &&
        text(
          x(rank) + (rank > n * 0.85 ? -6 : 8),
          y(score) + (below[place] ? 17 : -8),
          cut(names[i], 8),
          {
            class: `name small ${rank > n * 0.85 ? "end" : ""} ${look(i, follow)}`,
            click: () => pick(i),
          },
        ),
    ),
  );
}
