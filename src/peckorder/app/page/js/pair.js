// Who would win? The probability for any two individuals, asked for as soon as they are chosen.
import { h } from "./dom.js";
import { start } from "./jobs.js";
import { state } from "./store.js";
import { cut, percent } from "./words.js";

const pair = { a: null, b: null, asked: null };

function choose(names, result) {
  const known = result?.extra;
  if (!names.includes(pair.a)) pair.a = known && names.includes(known.side_a) ? known.side_a : names[0];
  if (!names.includes(pair.b) || pair.a === pair.b) {
    pair.b = known && names.includes(known.side_b) && known.side_b !== pair.a ? known.side_b : names.find((name) => name !== pair.a);
  }
}

function ask() {
  pair.asked = `${state.hash} ${state.settings.group} ${pair.a}\n${pair.b}`;
  start("pair", { a: pair.a, b: pair.b });
}

/** Two menus and the answer for the two that are chosen. */
export function pairPanel(result, busy, refresh) {
  const { names } = state;
  if (names.length < 2) return h("p.soft", "Two individuals are needed.");
  choose(names, result);
  const fits = result && result.extra.side_a === pair.a && result.extra.side_b === pair.b && result.current !== false;
  if (!fits && !busy && pair.asked !== `${state.hash} ${state.settings.group} ${pair.a}\n${pair.b}`) ask();
  const select = (slot, other) => h("select", {
    label: slot === "a" ? "First individual" : "Second individual", key: `pair-${slot}`,
    change: ({ target }) => { pair[slot] = target.value; refresh(); } },
  names.map((name) => h("option", { value: name, selected: name === pair[slot], disabled: name === pair[other] }, cut(name, 40))));
  return [h("div.row.versus", select("a", "b"), h("span.soft", "against"), select("b", "a")),
    fits ? answered(result) : h("div.bar.live", h("i"))];
}

function answered({ sentences, extra }) {
  const { p_a: a, p_draw: tie, p_b: b, p_a_low: low, p_a_high: high } = extra;
  const ends = (value) => percent(value);
  return [h("p.lead", sentences[0]),
    h("div.split", { role: "img", label: `${pair.a} ${ends(a)}, tie ${ends(tie)}, ${pair.b} ${ends(b)}` },
      h("span", { css: { width: ends(a) } }, `${cut(pair.a, 24)} ${ends(a)}`),
      tie > 0.005 && h("span.tie", { css: { width: ends(tie) }, title: `tie ${ends(tie)}` }),
      h("span.last", `${ends(b)} ${cut(pair.b, 24)}`),
      h("i", { css: { left: ends(low), width: ends(high - low) } })),
    h("p.cap", `The line shows the 95% interval of the probability that ${cut(pair.a, 24)} wins. Ratings may change after the last contest, which it does not include.`)];
}
