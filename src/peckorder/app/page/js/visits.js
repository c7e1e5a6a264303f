// Visits to feeders: a slider for the longest time between two of them that counts as a contest,
// with the gaps that justify it.
import { button, h, s } from "./dom.js";
import { get } from "./server.js";
import { decide, state } from "./store.js";
import { number, plural } from "./words.js";

const [WIDTH, HEIGHT] = [300, 90];
const SHORTEST = 0.1;
let gaps = null;
let known = null;
let within = 2;

const place = (seconds, last) =>
  (Math.log(Math.max(seconds, SHORTEST) / SHORTEST) / Math.log(last / SHORTEST)) * WIDTH;

/** @param {number} value from 0 to 100 @param {number} last seconds */
export const seconds = (value, last) => {
  const found = SHORTEST * (last / SHORTEST) ** (value / 100);
  return found < 10 ? Math.round(found * 10) / 10 : Math.round(found);
};

function figure({ histogram, last }) {
  const most = Math.max(1, ...histogram.map(({ arrivals }) => arrivals));
  return s(
    "svg.gaps",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT + 16}`,
      role: "img",
      label: `Times between a departure and the next arrival, in seconds; ${within} s is chosen.`,
    },
    histogram.map(({ low, high, arrivals }) =>
      s("rect", {
        x: place(low, last),
        y: HEIGHT - (arrivals / most) * HEIGHT,
        width: Math.max(1, place(high, last) - place(low, last) - 1),
        height: (arrivals / most) * HEIGHT,
        class: low < within ? "k-won" : "k-unknown",
      }),
    ),
    s("line.now", { x1: place(within, last), x2: place(within, last), y1: 0, y2: HEIGHT }),
    [0.1, 1, 10, 60, 600, 3600]
      .filter((tick) => tick <= last)
      .map((tick) =>
        s("text.tick", { x: place(tick, last), y: HEIGHT + 13, "text-anchor": "middle" }, `${tick}`),
      ),
  );
}

/** The nearest threshold that was counted. */
const counted = () => gaps.thresholds.filter((one) => one.within <= within).at(-1);

async function load(box) {
  known = state.workspace;
  gaps = null;
  try {
    gaps = await get("/api/gaps", { w: state.workspace });
  } catch (error) {
    box.replaceChildren(h("p.soft", error.message));
    return;
  }
  show(box);
}

function show(box) {
  const words = h("p.small.soft");
  const drawn = h("div");
  const tell = () => {
    const near = counted();
    words.textContent = near
      ? `Within ${near.within} s: ${plural(near.displacements, "contest")} in ${plural(near.dyads, "dyad")}; consistency ${number(near.consistency, 2)}. It falls where arrivals by chance are counted.`
      : "";
    drawn.replaceChildren(figure(gaps));
  };
  const start = Math.round((place(within, gaps.last) / WIDTH) * 100);
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 100,
    value: start,
    key: "within",
    label: "Longest time from a departure to an arrival",
    "aria-valuetext": `${within} s`,
    input: () => {
      within = seconds(Number(slider.value), gaps.last);
      slider.setAttribute("aria-valuetext", `${within} s`);
      shown.textContent = `${within} s`;
      tell();
    },
  });
  const shown = h("b", `${within} s`);
  box.replaceChildren(
    h("label", "Who arrives within ", shown, " of a departure wins.", slider),
    drawn,
    words,
    button(
      "Count these contests",
      () => decide({ within: `${within}s` }, `Contests within ${within} s`),
      { kind: "small primary", key: "visits-count" },
    ),
  );
  tell();
}

/** The slider and its figure. */
export function visits() {
  const box = h("div.visits", h("div.bar.live", h("i")));
  if (gaps && known === state.workspace) show(box);
  else load(box);
  return box;
}
