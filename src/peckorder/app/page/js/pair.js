// Who would win? The probability for any two individuals, requested for as soon as they are chosen.
import { h } from "./dom.js";
import { jobOf, resultOf, start } from "./jobs.js";
import { state } from "./store.js";
import { cut, percent } from "./words.js";

const pair = { a: null, b: null, requested: null };

function choose(names, result) {
  const known = result?.extra;
  if (!names.includes(pair.a))
    pair.a = known && names.includes(known.a) ? known.a : names[0];
  if (!names.includes(pair.b) || pair.a === pair.b) {
    pair.b =
      known && names.includes(known.b) && known.b !== pair.a
        ? known.b
        : names.find((name) => name !== pair.a);
  }
}

function ask() {
  pair.requested = `${state.hash} ${state.settings.group} ${pair.a}\n${pair.b}`;
  start("pair", { a: pair.a, b: pair.b });
}

/** The answer, if the posterior of all pairs is there and was made with the present settings. */
function fromPosterior() {
  const { done } = jobOf("certain");
  const extra = done?.current && resultOf(done.job)?.extra;
  if (!extra?.pairs) return null;
  const [a, b] = [extra.names.indexOf(pair.a), extra.names.indexOf(pair.b)];
  const { pairs } = extra;
  const at = pairs.a.findIndex(
    (one, i) => (one === a && pairs.b[i] === b) || (one === b && pairs.b[i] === a),
  );
  if (at < 0) return null;
  const tie = pairs.tie?.[at] ?? 0;
  const turned = pairs.a[at] !== a;
  if (turned && tie > 0) return null; // its interval does not follow from that of the other side
  const [p, low, high] = [pairs.p[at], pairs.low[at], pairs.high[at]];
  const [own, from, to] = turned ? [1 - p - tie, 1 - high - tie, 1 - low - tie] : [p, low, high];
  return {
    sentences: [
      `${pair.a} wins against ${pair.b} with probability ${own.toFixed(2)} (95% CrI ${Math.max(0, from).toFixed(2)}–${Math.min(1, to).toFixed(2)}${tie > 0.005 ? `; tie ${tie.toFixed(2)}` : ""}).`,
    ],
    extra: {
      p_a: own,
      p_tie: tie,
      p_b: 1 - own - tie,
      p_a_low: Math.max(0, from),
      p_a_high: Math.min(1, to),
    },
  };
}

/** Two menus and the answer for the two that are chosen. */
export function pairPanel(result, busy, refresh) {
  const { names } = state;
  if (names.length < 2) return h("p.soft", "Two individuals are needed.");
  choose(names, result);
  const known = fromPosterior();
  const fits =
    result &&
    result.extra.a === pair.a &&
    result.extra.b === pair.b &&
    result.current !== false;
  if (
    !known &&
    !fits &&
    !busy &&
    pair.requested !== `${state.hash} ${state.settings.group} ${pair.a}\n${pair.b}`
  )
    ask();
  const select = (slot, other) =>
    h(
      "select",
      {
        label: slot === "a" ? "First individual" : "Second individual",
        key: `pair-${slot}`,
        change: ({ target }) => {
          pair[slot] = target.value;
          refresh();
        },
      },
      names.map((name) =>
        h(
          "option",
          { value: name, selected: name === pair[slot], disabled: name === pair[other] },
          cut(name, 40),
        ),
      ),
    );
  return [
    h("div.row.versus", select("a", "b"), h("span.soft", "against"), select("b", "a")),
    known ? answered(known) : fits ? answered(result) : h("div.bar.live", h("i")),
  ];
}

function answered({ sentences, extra }) {
  const { p_a: a, p_tie: tie, p_b: b, p_a_low: low, p_a_high: high } = extra;
  const ends = (value) => percent(value);
  return [
    h("p.lead", sentences[0]),
    h(
      "div.split",
      { role: "img", label: `${pair.a} ${ends(a)}, tie ${ends(tie)}, ${pair.b} ${ends(b)}` },
      h("span", { css: { width: ends(a) } }, `${cut(pair.a, 24)} ${ends(a)}`),
      tie > 0.005 && h("span.tie", { css: { width: ends(tie) }, title: `tie ${ends(tie)}` }),
      h("span.last", `${ends(b)} ${cut(pair.b, 24)}`),
      h("i", { css: { left: ends(low), width: ends(high - low) } }),
    ),
    h(
      "p.cap",
      `The line shows the 95% interval of the probability that ${cut(pair.a, 24)} wins. Ratings may change after the last contest, which it does not include.`,
    ),
  ];
}
