// The ranking: rank, name, rating. Above a hundred individuals only the rows in sight are drawn.
import { h, put, s } from "./dom.js";
import { color, swatch } from "./figures/parts.js";
import { count, number, plural } from "./words.js";

const MOST_ROWS = 100;
const SPARE = 10;
let shown = null; // the individual that was sought last
const rowHeight = () => 2.2 * parseFloat(getComputedStyle(document.documentElement).fontSize);

const record = (i, { won, drawn, lost }) =>
  drawn.some(Boolean)
    ? `${count(won[i])}–${count(drawn[i])}–${count(lost[i])}`
    : `${count(won[i])}–${count(lost[i])}`;

/** Rank with its 95% interval, on a track from the first to the last rank. */
function interval(i, { certainty: { rank, low, high }, order }) {
  const at = (value) => 4 + (92 * (value - 1)) / Math.max(1, order.length - 1);
  return h(
    "td.wide",
    s(
      "svg.lolly",
      { viewBox: "0 0 100 16", preserveAspectRatio: "none", mute: true },
      s("line", { x1: at(low[i]), x2: at(high[i]), y1: 8, y2: 8, stroke: color(i) }),
    ),
    h("i", { css: { left: `${at(rank[i])}%`, background: color(i) } }),
  );
}

const lolly = (i, { rating, at, middle }) =>
  h(
    "td.wide",
    s(
      "svg.lolly",
      { viewBox: "0 0 100 16", preserveAspectRatio: "none", mute: true },
      s("line", { x1: middle, x2: at(rating[i]), y1: 8, y2: 8, stroke: color(i) }),
    ),
    h("i", { css: { left: `${at(rating[i])}%`, background: color(i) } }),
  );

function row(i, view) {
  const { names, rank, rating, certainty, follow, pick, open } = view;
  const on = names[i] === follow;
  const place = certainty ? certainty.rank[i] : rank[i];
  return h(
    "tr",
    { class: on ? "followed" : "" },
    h("td.n.rank", place === null ? "–" : count(place)),
    h(
      "td",
      h(
        "button.who",
        { pressed: on, key: `who-${i}`, title: names[i], click: () => pick(i) },
        swatch(i),
        h("span", names[i]),
      ),
      open?.has(names[i]) &&
        h(
          "a.tag",
          {
            href: "#/data",
            label: `${names[i]}: ${plural(open.get(names[i]), "row")} not decided`,
            title: `${plural(open.get(names[i]), "row")} not decided`,
          },
          "?",
        ),
    ),
    certainty ? interval(i, view) : lolly(i, view),
    certainty
      ? [
          h("td.n", `${count(certainty.low[i])}–${count(certainty.high[i])}`),
          h("td.n", certainty.above[i] === null ? "" : number(certainty.above[i], 2)),
        ]
      : h("td.n", number(rating[i])),
    h("td.n.soft", record(i, view)),
  );
}

const head = ({ certainty, drawn }) =>
  h(
    "thead",
    h(
      "tr",
      h("th.n", { scope: "col" }, h("span", { mute: true }, "#"), h("span.unseen", "Rank")),
      h("th", { scope: "col" }, "Individual"),
      h("td.wide"),
      certainty
        ? [
            h("th.n", { scope: "col" }, h("abbr", { title: "95% interval of the rank" }, "95%")),
            h(
              "th.n",
              { scope: "col" },
              h("abbr", { title: "probability of outranking the next" }, "P > next"),
            ),
          ]
        : h("th.n", { scope: "col" }, "Rating"),
      h(
        "th.n",
        { scope: "col" },
        drawn.some(Boolean)
          ? h("abbr", { title: "wins, ties and losses" }, "W–D–L")
          : h("abbr", { title: "wins and losses" }, "W–L"),
      ),
    ),
  );

/** order: places of the individuals by rank. */
export function ranking({ order: byRating, ...rest }) {
  const order = rest.certainty?.order ?? byRating;
  /** @type {any} */
  const view = { ...rest, order };
  const { rating } = view;
  const values = order.map((i) => rating[i]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = (value) => 4 + (92 * (value - low)) / (high - low || 1);
  const given = { ...view, at, middle: at((low + high) / 2) };
  if (order.length <= MOST_ROWS)
    return h(
      "table.ranking",
      head(view),
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
    h("table.ranking", head(view), body),
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
        h("td", { colspan: 6, css: { height: `${many * tall}px`, padding: 0 } }),
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
  const sought = order.findIndex((i) => rest.names[i] === rest.follow);
  if (sought >= 0 && rest.follow !== shown)
    requestAnimationFrame(() => {
      box.scrollTop = Math.max(0, sought * rowHeight() - box.clientHeight / 2);
    });
  shown = rest.follow;
  return box;
}
