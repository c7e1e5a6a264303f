// Ratings over time: step lines with a direct label each.
import { s } from "../dom.js";
import { cut, day, number } from "../words.js";
import {
  color,
  dash,
  dates,
  frame,
  line,
  look,
  nice,
  point,
  room,
  scale,
  spread,
  text,
  textColor,
  unpoint,
  zoom,
} from "./parts.js";

const WIDEST_TICK = 60; // pixels of a label such as 28 May, with a gap

const MANY = 30; // lines; above, only those with a name are colored

/** The value of a line at a time: that of the last point before it. */
function valueAt(points, time) {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  return low ? points[low - 1][1] : null;
}

/** Points inside a span; the first stands at its beginning if the line was there already. */
function within(points, [from, to]) {
  const before = valueAt(points, from);
  const inside = points.filter(([time]) => time > from && time <= to);
  return before === null ? inside : [[from, before], ...inside];
}

function stepPath(points, x, y, stop) {
  let path = "";
  let drawing = false;
  for (const [time, value] of points) {
    if (value === null) {
      if (drawing) path += `H${x(time).toFixed(1)}`;
      drawing = false;
    } else if (drawing) path += `H${x(time).toFixed(1)}V${y(value).toFixed(1)}`;
    else {
      path += `M${x(time).toFixed(1)},${y(value).toFixed(1)}`;
      drawing = true;
    }
  }
  return drawing ? `${path}H${x(stop).toFixed(1)}` : path;
}

/** Ticks of the axis, as many as have room: `room` is its length in pixels. */
function ticksOf(kind, span, narrow, room) {
  if (kind === "date")
    return dates(span, Math.min(12, Math.max(2, Math.floor(room / WIDEST_TICK))));
  return nice(span, narrow ? 4 : 8)
    .filter((v) => v % 1 === 0)
    .map((v) => [v, number(v)]);
}

/** Which of many lines have room for a name: the followed one, then those with the best ranks. */
function labeled(ends, most, follow) {
  const order = [...ends.keys()].filter((i) => ends[i] !== null);
  order.sort((one, other) => Number(other === follow) - Number(one === follow) || ends[other] - ends[one]);
  return new Set(order.slice(0, Math.max(1, most)));
}

/**
 * lines: for every name a list of [time, rating], times as milliseconds or contest numbers.
 * `range` fixes the ratings shown, so that a figure that grows does not jump.
 */
export function course(
  width,
  height,
  {
    names,
    lines,
    kind,
    span,
    follow = null,
    date = null,
    pick = null,
    range,
    stop,
    places = names.map((_, i) => i),
  },
) {
  const z = zoom();
  const narrow = width < 480;
  const labels = names.map((name) => cut(name, narrow ? 8 : 14));
  const margins = {
    l: 46 * z,
    r: room(labels, 14) + 20,
    t: 10,
    b: 26 * z,
  };
  const x = scale(span, [margins.l, width - margins.r]);
  const parts = lines.map((points) => within(points, span));
  const values = parts
    .flatMap((points) => points.map(([, value]) => value))
    .filter((v) => v !== null);
  const [low, high] =
    range ??
    (values.length
      ? values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity])
      : [900, 1100]);
  const pad = (high - low || 100) * 0.06;
  const [floor, ceiling] = [height - margins.b, margins.t];
  const y = scale([low - pad, high + pad], [floor, ceiling]);
  const end = stop ?? span[1];
  const ends = parts.map((points) => valueAt(points, end));
  const many = names.length > MANY;
  const fitting = Math.floor((floor - ceiling) / (14 * z)) - 1;
  const shown = labeled(ends, many ? Math.min(fitting, 16) : fitting, follow);
  const named = [...shown];
  const spreadOut = spread(
    named.map((i) => y(ends[i])),
    14 * z,
    ceiling + 6,
    floor - 4,
  );
  const labelAt = new Map(named.map((i, place) => [i, spreadOut[place]]));
  // The followed line is in front; of many lines, those without a name are behind.
  const front = (i) => (i === follow ? 2 : many && !shown.has(i) ? 0 : 1);
  const order = [...names.keys()].sort((one, other) => front(one) - front(other));
  const svg = frame(
    width,
    height,
    `Ratings over time of ${names.length} individuals`,
    nice([low - pad, high + pad], height < 200 ? 3 : 5).map((v) => [
      line(margins.l, y(v), width - margins.r, y(v), "grid"),
      text(margins.l - 8, y(v) + 4, number(v), { class: "tick end" }),
    ]),
    ticksOf(kind, span, narrow, (width - margins.l - margins.r) / z).map(([time, label]) => [
      line(x(time), floor, x(time), floor + 4, "axis"),
      text(x(time), floor + 17 * z, label, { class: "tick mid" }),
    ]),
    line(margins.l, floor, width - margins.r, floor, "axis"),
    kind === "contest" &&
      text(width - margins.r + 13, floor + 17 * z, "contest", { class: "tick" }),
    date !== null &&
      date >= span[0] &&
      date <= span[1] &&
      line(x(date), ceiling, x(date), floor, "needle"),
    order.map((i) => {
      const kindOf = look(i, follow) || (many && !shown.has(i) ? "faded crowd" : "");
      const path = stepPath(parts[i], x, y, end);
      return (
        path && [
          s("path", {
            d: path,
            class: `trace ${kindOf}`,
            stroke: color(places[i]),
            "stroke-dasharray": dash(places[i]),
          }),
          shown.has(i) && [
            s("path", {
              d: `M${x(end) + 2},${y(ends[i])}L${x(end) + 10},${labelAt.get(i)}`,
              class: `leader ${kindOf}`,
              stroke: color(places[i]),
            }),
            text(x(end) + 13, labelAt.get(i) + 4, labels[i], {
              class: `name ${kindOf}`,
              css: kindOf ? {} : { fill: textColor(places[i]) },
              click: pick && (() => pick(i)),
            }),
          ],
        ]
      );
    }),
  );
  if (pick) watch(svg, { names, parts, kind, span, x, y, pick });
  return Object.assign(svg, { margins });
}

/** The nearest line under the pointer is named; a click follows it. */
function watch(svg, { names, parts, kind, span, x, y, pick }) {
  const near = (event) => {
    const box = svg.getBoundingClientRect();
    const [time, height] = [x.back(event.clientX - box.left), event.clientY - box.top];
    if (time < span[0] || time > span[1]) return null;
    const now = parts.map((points) => valueAt(points, time));
    const far = now.map((value) => (value === null ? Infinity : Math.abs(y(value) - height)));
    const best = far.indexOf(Math.min(...far));
    return far[best] < 30 ? { best, time, now } : null;
  };
  svg.addEventListener("pointermove", (event) => {
    const hit = near(event);
    if (!hit) {
      unpoint();
      return;
    }
    const value = hit.now[hit.best];
    const rank = 1 + hit.now.filter((other) => other !== null && other > value).length;
    const present = hit.now.filter((other) => other !== null).length;
    point(
      event,
      names[hit.best],
      kind === "date" ? day(hit.time) : `after contest ${number(Math.floor(hit.time))}`,
      `rating ${number(value)}, rank ${rank} of ${present}`,
    );
  });
  svg.addEventListener("pointerleave", unpoint);
  svg.addEventListener("click", (event) => {
    const hit = event.target.tagName === "text" ? null : near(event);
    if (hit) pick(hit.best);
  });
}
