// Ranks by several methods: one line per individual.
import { s } from "../dom.js";
import { capital, cut, number } from "../words.js";
import {
  color,
  dash,
  frame,
  line,
  look,
  point,
  room,
  scale,
  text,
  textColor,
  unpoint,
  zoom,
} from "./parts.js";

const WORDS = {
  elo: "Elo",
  randomized_elo: "Randomized Elo",
  davids_score: "David’s score",
  isi: "I&SI",
  bradley_terry: "Bradley–Terry",
};

/** rows: { name, ranks } with one rank per method; places: names in the order of their colors. */
export function slopes(width, { methods, rows, places, follow = null, pick = (_) => {} }) {
  const z = zoom();
  const n = rows.length;
  const gap = Math.max(14, Math.min(26, 560 / n)) * z;
  const side =
    room(
      rows.map(({ name }) => name),
      14,
    ) + 12;
  const m = { l: 26 * z, r: side, t: 26 * z, b: 8 };
  const height = m.t + gap * n + m.b;
  const x = scale([0, Math.max(1, methods.length - 1)], [m.l + 30, width - m.r - 10]);
  const y = (rank) => m.t + (rank - 0.5) * gap;
  const short = (name) =>
    cut(
      WORDS[name] ?? capital(name.replaceAll("_", " ")),
      Math.max(6, Math.floor((x(1) - x(0)) / (7 * z))),
    );
  return frame(
    width,
    height,
    `Ranks of ${n} individuals by ${methods.length} methods`,
    methods.map((name, i) => [
      line(x(i), m.t, x(i), height - m.b, "grid"),
      text(x(i), m.t - 10, short(name), { class: "tick mid" }),
    ]),
    rows.map(({ name, ranks }) => {
      const place = Math.max(0, places.indexOf(name));
      const kind = look(name, follow);
      const known = ranks.map((rank, i) => [i, rank]).filter(([, rank]) => rank !== null);
      const path = known
        .map(([i, rank], k) => `${k ? "L" : "M"}${x(i).toFixed(1)},${y(rank).toFixed(1)}`)
        .join("");
      const last = known.at(-1)?.[1];
      return (
        last !== undefined && [
          s("path", {
            d: path,
            class: `trace ${kind}`,
            stroke: color(place),
            "stroke-dasharray": dash(place),
            pointerleave: unpoint,
            pointermove: (event) =>
              point(
                event,
                name,
                ...known.map(
                  ([i, rank]) => `${short(methods[i])}: rank ${number(rank, rank % 1 ? 1 : 0)}`,
                ),
              ),
            click: () => pick(name),
          }),
          known.map(([i, rank]) =>
            s("circle", {
              cx: x(i),
              cy: y(rank),
              r: 3.5,
              class: `dot ${kind}`,
              css: kind ? {} : { fill: color(place) },
            }),
          ),
          text(x(methods.length - 1) + 10, y(last) + 4, cut(name, 14), {
            class: `name ${kind}`,
            css: kind ? {} : { fill: textColor(place) },
            click: () => pick(name),
          }),
        ]
      );
    }),
  );
}
