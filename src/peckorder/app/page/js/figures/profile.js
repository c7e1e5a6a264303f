// How well each k predicts: the log loss as a line under the slider.
import { s } from "../dom.js";
import { frame, line, nice, scale, text } from "./parts.js";

/** points: [k, log loss]; support: the range of k that predicts about as well as the best. */
export function profile(width, height, { points, at, best, support, most }) {
  const least = best[1];
  const ceiling = Math.min(Math.max(...points.map(([, loss]) => loss)), least + 0.16);
  const x = scale([0, most], [9, width - 9]);
  const floor = height - 14;
  const y = scale([least - 0.012, ceiling], [floor, 4]);
  const inside = (loss) => Math.min(floor, Math.max(3, y(loss)));
  const here = points.reduce((one, other) =>
    Math.abs(other[0] - at) < Math.abs(one[0] - at) ? other : one,
  );
  const shown = points.filter(([k, loss]) => loss <= ceiling && k <= most);
  const path = shown
    .map(([k, loss], place) => `${place ? "L" : "M"}${x(k).toFixed(1)},${inside(loss).toFixed(1)}`)
    .join("");
  const [from, to] = support ?? [best[0], best[0]];
  return frame(
    width,
    height,
    `Log loss by k; lowest at k = ${best[0]}`,
    support &&
      s("rect.support", {
        x: x(from),
        y: 2,
        width: Math.max(0, x(Math.min(most, to)) - x(from)),
        height: height - 15,
      }),
    line(9, floor, width - 9, floor, "axis"),
    s("path.curve", { d: path }),
    nice([0, most], 4).map((k) => text(x(k), height - 2, String(k), { class: "tick tiny mid" })),
    at <= most && line(x(at), inside(here[1]), x(at), floor, "drop"),
    best[0] <= most && s("circle.best", { cx: x(best[0]), cy: inside(best[1]), r: 3 }),
    at <= most && s("circle.here", { cx: x(at), cy: inside(here[1]), r: 5 }),
  );
}
