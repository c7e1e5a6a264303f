// Where the values of a measure lie: one density or bar chart under another.
import { s } from "../dom.js";
import { color, frame, line, nice, scale, text, textWidth, zoom } from "./parts.js";

/**
 * list: { name, values, heights, at, low, high }: values and heights are the outline, as the
 * server has computed it; at is the estimate, low and high its interval.
 */
export function densities(width, list, { label, range, reference = null, decimals = 1 }) {
  const z = zoom();
  const gap = 74 * z;
  const height = gap * list.length + 40 * z;
  const side = Math.min(
    width / 3,
    Math.max(...list.map(({ name }) => textWidth(name, 13 * z))) + 18,
  );
  const x = scale(range, [side, width - 14]);
  return frame(
    width,
    height,
    label,
    nice(range, 5).map((v) => [
      line(x(v), 4, x(v), height - 36 * z, "grid"),
      text(x(v), height - 20 * z, v.toFixed(decimals), { class: "tick mid" }),
    ]),
    text((side + width) / 2, height - 4, label, { class: "title mid" }),
    reference !== null && line(x(reference), 4, x(reference), height - 36 * z, "target"),
    list.map(({ name, values, heights, at, low, high }, r) => {
      const base = gap * (r + 1) - 6;
      const top = Math.max(...heights, 1e-12);
      const outline = values
        .map(
          (v, place) =>
            `L${x(v).toFixed(1)},${(base - (heights[place] / top) * gap * 0.74).toFixed(1)}`,
        )
        .join("");
      return [
        s("path.ridge", {
          d: `M${x(values[0])},${base}${outline}L${x(values.at(-1))},${base}Z`,
          fill: color(r),
          stroke: color(r),
        }),
        low !== undefined &&
          s("line.thick", {
            x1: x(low),
            x2: x(high),
            y1: base,
            y2: base,
            css: { stroke: color(r) },
          }),
        at !== undefined &&
          s("circle.dot", { cx: x(at), cy: base, r: 5.5, css: { fill: color(r) } }),
        text(side - 12, base - 8, name, { class: "name end strong" }),
      ];
    }),
  );
}
