// What more observation would give: a curve with a band, a target and a place on it.
import { s } from "../dom.js";
import { number } from "../words.js";
import { frame, line, nice, scale, text, zoom } from "./parts.js";

/** points: { x, low, mid, high }; now: where the data are; want: where the target is reached. */
export function plan(
  width,
  height,
  { points, target = null, now = null, want = null, xlabel, ylabel },
) {
  const z = zoom();
  const m = { l: 44 * z, r: 16, t: 22, b: 42 * z };
  const least = Math.min(target ?? 1, ...points.map(({ low }) => low)) - 0.02;
  const x = scale(
    [
      0,
      Math.min(
        Math.max(points.at(-1).x, now ?? 0),
        2.5 * Math.max(now ?? 0, want ?? 0, points[Math.min(3, points.length - 1)].x),
      ),
    ],
    [m.l, width - m.r],
  );
  const y = scale([least, 1], [height - m.b, m.t]);
  const levels = nice([least, 1], 5);
  const decimals = levels.length > 1 && levels[1] - levels[0] < 0.099 ? 2 : 1;
  const path = (list, key) =>
    list.map((p) => `${x(p.x).toFixed(1)},${y(p[key]).toFixed(1)}`).join("L");
  return frame(
    width,
    height,
    `${ylabel} by ${xlabel}`,
    levels.map((v) => [
      line(m.l, y(v), width - m.r, y(v), "grid"),
      text(m.l - 7, y(v) + 4, v.toFixed(decimals), { class: "tick end" }),
    ]),
    nice([0, x.back(width - m.r)], width < 420 ? 4 : 7).map((v) =>
      text(x(v), height - m.b + 16 * z, number(v), { class: "tick mid" }),
    ),
    s("path.band", { d: `M${path(points, "high")}L${path(points.toReversed(), "low")}Z` }),
    s("path.curve", { d: `M${path(points, "mid")}` }),
    target !== null && [
      line(m.l, y(target), width - m.r, y(target), "target"),
      text(width - m.r, y(target) + 18 * z, `goal ${target.toFixed(2)}`, {
        class: "tick end warm",
      }),
    ],
    now !== null &&
      x(now) <= width - m.r + 1 && [
        line(x(now), m.t, x(now), height - m.b, "needle"),
        text(x(now) + 5, height - m.b - 8, "so far", { class: "tick warm" }),
      ],
    want !== null &&
      x(want) <= width - m.r + 1 && [
        line(x(want), y(target), x(want), height - m.b, "drop"),
        s("circle.dot.followed", { cx: x(want), cy: y(target), r: 5.5 }),
      ],
    line(m.l, height - m.b, width - m.r, height - m.b, "axis"),
    text((m.l + width) / 2, height - 5, xlabel, { class: "title mid" }),
    text(m.l, m.t - 8, ylabel, { class: "title" }),
  );
}
