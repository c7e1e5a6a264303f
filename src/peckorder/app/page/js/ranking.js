// The ranking: rank, name, rating. Above a hundred individuals only the rows in sight are drawn.
import { h, put, s } from "./dom.js";
import { color, swatch } from "./figures/parts.js";
import { count, number } from "./words.js";

const MOST_ROWS = 100;
const SPARE = 10;
const rowHeight = () => 2.2 * parseFloat(getComputedStyle(document.documentElement).fontSize);

function row(i, { names, rank, rating, won, lost, at, middle, follow, pick }) {
  const on = names[i] === follow;
  return h(
    "tr",
    { class: on ? "followed" : "" },
    h("td.n.rank", rank[i] === null ? "–" : count(rank[i])),
    h(
      "td",
      h(
        "button.who",
        { pressed: on, key: `who-${i}`, title: names[i], click: () => pick(i) },
        swatch(i),
        h("span", names[i]),
      ),
    ),
    h(
      "td.wide",
      s(
        "svg.lolly",
        { viewBox: "0 0 100 16", preserveAspectRatio: "none", mute: true },
        s("line", { x1: middle, x2: at(rating[i]), y1: 8, y2: 8, stroke: color(i) }),
      ),
      h("i", { css: { left: `${at(rating[i])}%`, background: color(i) } }),
    ),
    h("td.n", number(rating[i])),
    h("td.n.soft", `${count(won[i])}–${count(lost[i])}`),
  );
}

const head = () =>
  h(
    "thead",
    h(
      "tr",
      h("th.n", { scope: "col" }, h("span", { mute: true }, "#"), h("span.unseen", "Rank")),
      h("th", { scope: "col" }, "Individual"),
      h("td.wide"),
      h("th.n", { scope: "col" }, "Rating"),
      h("th.n", { scope: "col" }, h("abbr", { title: "wins and losses" }, "W–L")),
    ),
  );

/** order: places of the individuals by rank. */
export function ranking(view) {
  const { order, rating } = view;
  const values = order.map((i) => rating[i]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = (value) => 4 + (92 * (value - low)) / (high - low || 1);
  const given = { ...view, at, middle: at((low + high) / 2) };
  if (order.length <= MOST_ROWS)
    return h(
      "table.ranking",
      head(),
      h(
        "tbody",
        order.map((i) => row(i, given)),
      ),
    );
  const body = h("tbody");
  const box = h(
    "div.scroll.long",
    {
      tabindex: "0",
      role: "region",
      label: `Ranking of ${order.length} individuals`,
      "data-scroll": "ranking",
    },
    h("table.ranking", head(), body),
  );
  const draw = () => {
    const tall = rowHeight();
    const first = Math.max(0, Math.floor(box.scrollTop / tall) - SPARE);
    const last = Math.min(
      order.length,
      first + Math.ceil((box.clientHeight || 600) / tall) + 2 * SPARE,
    );
    const space = (many) =>
      many > 0 &&
      h(
        "tr",
        { mute: true },
        h("td", { colspan: 5, css: { height: `${many * tall}px`, padding: 0 } }),
      );
    put(
      body,
      space(first),
      order.slice(first, last).map((i) => row(i, given)),
      space(order.length - last),
    );
  };
  box.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  draw();
  return box;
}
