// The expected score by difference of ratings, and how far the result was from it.
import { s } from "../dom.js";
import { cut, number, percent } from "../words.js";
import { frame, line, nice, scale, text, zoom } from "./parts.js";

/** curve: { difference, expected } as computed by the server; scored: 1 won, 0.5 tie. */
export function expectation(width, height, { curve, difference, expected, scored, moved, names }) {
  const z = zoom();
  const m = { l: 40 * z, r: 14, t: 26 * z, b: 42 * z };
  const [low, high] = [curve.difference[0], curve.difference.at(-1)];
  const x = scale([low, high], [m.l, width - m.r]);
  const y = scale([0, 1], [height - m.b, m.t]);
  const at = Math.max(low, Math.min(high, difference));
  const late = at > (low + high) / 2 + (high - low) / 6;
  const path = curve.difference
    .map(
      (v, place) => `${place ? "L" : "M"}${x(v).toFixed(1)},${y(curve.expected[place]).toFixed(1)}`,
    )
    .join("");
  const [one, other] = names.map((name) => cut(name, 12));
  return frame(
    width,
    height,
    `Expected score ${percent(expected)} at a difference of ${number(difference)}`,
    [0, 0.25, 0.5, 0.75, 1].map((v) => [
      line(m.l, y(v), width - m.r, y(v), "grid"),
      text(m.l - 7, y(v) + 4, String(v), { class: "tick end" }),
    ]),
    nice([low, high], 4).map((v) =>
      text(x(v), height - m.b + 16 * z, number(v), { class: `tick ${v >= high ? "end" : "mid"}` }),
    ),
    line(m.l, height - m.b, width - m.r, height - m.b, "axis"),
    text((m.l + width - m.r) / 2, height - 5, `Rating of ${one} minus rating of ${other}`, {
      class: "title mid",
    }),
    text(m.l, m.t - 12, `Expected score of ${one}`, { class: "title" }),
    s("path.curve", { d: path }),
    line(x(at), y(expected), x(at), height - m.b, "drop"),
    s("line.surprise", { x1: x(at), x2: x(at), y1: y(expected), y2: y(scored) }),
    s("circle.ring", { cx: x(at), cy: y(scored), r: 5 }),
    s("circle.dot", { cx: x(at), cy: y(expected), r: 6.5 }),
    text(
      x(at) + (late ? -12 : 12),
      (y(expected) + y(scored)) / 2 + 4,
      `surprise ${number(scored - expected, 2)} × k = ${number(moved, 1)}`,
      { class: `name warmth ${late ? "end" : ""}` },
    ),
  );
}
