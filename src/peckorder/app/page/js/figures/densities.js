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
  const side = Math.min(width / 3, Math.max(...list.map(({ name }) => textWidth(name, 13 * z))) + 18);
  const x = scale(range, [side, width - 14]);
  return frame(width, height, label,
    nice(range, 5).map((v) => [
      line(x(v), 4, x(v), height - 36 * z, "grid"),
      text(x(v), height - 20 * z, v.toFixed(decimals), { class: "tick mid" })]),
    text((side + width) / 2, height - 4, label, { class: "title mid" }),
    reference !== null && line(x(reference), 4, x(reference), height - 36 * z, "target"),
    list.map(({ name, values, heights, at, low, high }, r) => {
      const base = gap * (r + 1) - 6;
      const top = Math.max(...heights, 1e-12);
      const outline = values.map((v, place) => `L${x(v).toFixed(1)},${(base - heights[place] / top * gap * 0.74).toFixed(1)}`).join("");
      return [
        s("path.ridge", { d: `M${x(values[0])},${base}${outline}L${x(values.at(-1))},${base}Z`, fill: color(r), stroke: color(r) }),
        low !== undefined && line(x(low), base, x(high), base, "thick"),
        at !== undefined && s("circle.dot", { cx: x(at), cy: base, r: 5.5 }),
        text(side - 12, base - 8, name, { class: "name end strong" })];
    }));
}

/** One row per name: an estimate and its interval, with an optional line of reference. */
export function estimates(width, rows, { label, range, reference = null, decimals = 1 }) {
  const z = zoom();
  const gap = 34 * z;
  const height = gap * rows.length + 44 * z;
  const side = Math.min(width / 3, Math.max(...rows.map(({ name }) => textWidth(name, 12 * z))) + 18);
  const x = scale(range, [side, width - 16]);
  return frame(width, height, label,
    nice(range, 5).map((v) => [
      line(x(v), 4, x(v), height - 40 * z, "grid"),
      text(x(v), height - 22 * z, v.toFixed(decimals), { class: "tick mid" })]),
    text((side + width) / 2, height - 4, label, { class: "title mid" }),
    reference !== null && line(x(reference), 4, x(reference), height - 40 * z, "target"),
    rows.map(({ name, at, low, high }, r) => {
      const y = gap * (r + 0.5);
      return [
        text(side - 12, y + 4, name, { class: "name end strong" }),
        line(x(low), y, x(high), y, "thick"), s("circle.dot", { cx: x(at), cy: y, r: 5.5 })];
    }));
}
