// What all figures share: scales, ticks, places of labels, colors, the tooltip.
import { h, s } from "../dom.js";
import { DAY, cut, day, month } from "../words.js";

// The order of colors and of dashes is that of the report: 7 colors (--c0 … --c6 in tokens.css)
// and nine dash patterns give 63 distinct lines.
const DASHES = ["", "9 4", "3 3", "9 4 3 4", "15 4", "15 4 3 4", "1 5", "10 2 2 2 2 2", "4 2"];
export const COLORS = 7;
export const color = (i) => `var(--c${i % COLORS})`;
export const textColor = (i) => `var(--t${i % COLORS})`;
export const dash = (i) => DASHES[Math.floor(i / COLORS) % DASHES.length];

/** The line of an individual, as a key beside its name. */
export const swatch = (i) =>
  s(
    "svg.swatch",
    { width: 18, height: 8, mute: true },
    s("line", {
      x1: 0,
      x2: 18,
      y1: 4,
      y2: 4,
      stroke: color(i),
      "stroke-width": 3,
      "stroke-dasharray": dash(i),
    }),
  );

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = '600 100px system-ui, "Segoe UI", Roboto, sans-serif';
const widths = new Map(); // of texts at a size of 100 pixels

export function textWidth(text, size = 12) {
  if (widths.size > 5000) widths.clear();
  if (!widths.has(text)) widths.set(text, ruler.measureText(text).width);
  return (widths.get(text) * size) / 100;
}

/** How much larger than usual the text of the page is. */
export const zoom = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Room for names beside a figure. */
export function room(names, most) {
  const size = 12 * zoom();
  return Math.ceil(
    names.reduce((wide, name) => Math.max(wide, textWidth(cut(name, most), size)), 0),
  );
}

export const frame = (width, height, label, ...kids) =>
  s("svg.fig", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", label }, ...kids);
export const text = (x, y, words, more = {}) => s("text", { x, y, ...more }, words);
export const line = (x1, y1, x2, y2, kind) => s("line", { x1, y1, x2, y2, class: kind });

export function scale([a, b], [p, q]) {
  const at = (value) => p + ((value - a) / (b - a || 1)) * (q - p);
  at.back = (place) => a + ((place - p) / (q - p || 1)) * (b - a);
  return at;
}

/** Round values between two ends. */
export function nice([low, high], count = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const gap = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= raw);
  const made = [];
  for (let x = Math.ceil(low / gap) * gap; x <= high + gap * 1e-9; x += gap) {
    made.push(Math.round(x * 1e6) / 1e6);
  }
  return made;
}

function years(from, to, most) {
  const [first, last] = [from, to].map((time) => new Date(time).getUTCFullYear());
  const every = Math.max(1, Math.ceil((last - first) / most));
  const made = [];
  for (let year = first; year <= last; year += every) {
    const time = Date.UTC(year, 0, 1);
    if (time >= from && time <= to) made.push([time, String(year)]);
  }
  return made;
}

/** Days, months or years with their names, at most so many. */
export function dates([from, to], most) {
  const days = (to - from) / DAY;
  if (days > 365 * 2.5) return years(from, to, most);
  const made = [];
  if (days < 70) {
    const every = DAY * Math.max(1, Math.ceil(days / most));
    for (let time = from; time <= to; time += every) made.push([time, day(time, false)]);
    return made;
  }
  const start = new Date(from);
  const fewest = days / 30.4 / most;
  const every = [1, 2, 3, 4, 6].find((months) => months >= fewest) ?? 12;
  const next = start.getUTCMonth() + (start.getUTCDate() > 1 ? 1 : 0);
  for (let m = every * Math.ceil(next / every); ; m += every) {
    const time = Date.UTC(start.getUTCFullYear(), m, 1);
    if (time > to) return made;
    const january = new Date(time).getUTCMonth() === 0 && days > 300;
    made.push([time, january ? String(new Date(time).getUTCFullYear()) : month(time)]);
  }
}

/** Places with at least a gap between them, near those wanted. */
export function spread(wanted, gap, low, high) {
  const sorted = wanted.map((y, i) => [y, i]).sort((one, other) => one[0] - other[0]);
  const y = sorted.map(([at]) => at);
  for (let round = 0; round < 60; round += 1) {
    for (let i = 1; i < y.length; i += 1) {
      const short = gap - (y[i] - y[i - 1]);
      if (short > 0) {
        y[i - 1] -= short / 2;
        y[i] += short / 2;
      }
    }
    if (y.length) {
      y[0] = Math.max(low, y[0]);
      y[y.length - 1] = Math.min(high, y.at(-1));
    }
  }
  // What still touches is moved down, and up again from the floor.
  for (let i = 1; i < y.length; i += 1) y[i] = Math.max(y[i], y[i - 1] + gap);
  if (y.length) y[y.length - 1] = Math.min(high, y.at(-1));
  for (let i = y.length - 2; i >= 0; i -= 1) y[i] = Math.min(y[i], y[i + 1] - gap);
  const made = [];
  sorted.forEach(([, i], place) => {
    made[i] = y[place];
  });
  return made;
}

/** How an individual looks while another, or it, is followed. */
export const look = (i, follow) => (follow === null ? "" : i === follow ? "followed" : "faded");

const tip = h("div.tip", { hidden: true, role: "presentation" });

/** Shows the tooltip beside the pointer; there is one for all figures. */
export function point(event, head, ...rows) {
  if (!tip.isConnected) document.body.append(tip);
  tip.replaceChildren(h("strong", cut(head, 60)), ...rows.map((row) => h("span", row)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(innerWidth - box.width - 8, event.clientX + 14);
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, event.clientY - box.height - 10)}px`;
}
export const unpoint = () => {
  tip.hidden = true;
};
