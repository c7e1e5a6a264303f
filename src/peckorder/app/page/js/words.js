// Numbers, dates and counts as they are read.

const written = []; // formats by number of decimals; making one takes long

export function number(value, decimals = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  written[decimals] ??= new Intl.NumberFormat("en-US", digits);
  return written[decimals].format(value).replace("-", "−");
}

/** Whole numbers without decimals, halves with one. */
export const count = (value) => number(value, value % 1 ? 1 : 0);
export const percent = (share) => `${Math.round(100 * share)}%`;
export const plural = (many, one, more = `${one}s`) => `${number(many)} ${many === 1 ? one : more}`;

/** A word with a capital, for the beginning of a line. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
export const DAY = 86400000;

// Times are shown as written: the reader's time zone must not shift them.
export const moment = (text) => Date.parse(text.length > 10 ? `${text.replace(" ", "T")}Z` : text);
export const iso = (time) => new Date(time).toISOString().slice(0, 10);
export const month = (time) => MONTHS[new Date(time).getUTCMonth()];

export function day(time, year = true) {
  const date = new Date(time);
  const start = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return year ? `${start} ${date.getUTCFullYear()}` : start;
}

/** From one day to another; the year is written once where it is the same. */
export function span(from, to) {
  const same = new Date(from).getUTCFullYear() === new Date(to).getUTCFullYear();
  return from === to ? day(from) : `${day(from, !same)} – ${day(to)}`;
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [value, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

export const cut = (name, most = 16) => {
  const letters = [...name];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : name;
};

/** Blanks at the ends of a name, which are seen nowhere else. */
export const shownBlanks = (name) =>
  name.replace(/^ +| +$/g, (blanks) => "␣".repeat(blanks.length));
