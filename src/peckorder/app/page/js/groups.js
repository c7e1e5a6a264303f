// All groups at once: ranks with their 95% intervals, one small figure for each.
import { h, put, s } from "./dom.js";
import { get } from "./server.js";
import { change, state } from "./store.js";
import { count, cut, plural } from "./words.js";

const MOST = 12; // individuals of a small figure
const [TALL, LEFT, WIDE] = [16, 76, 200];
let known = null;

function figure({ group, names, ranks }) {
  const shown = ranks.who.slice(0, MOST);
  const at = (rank) => LEFT + 4 + ((rank - 1) / Math.max(1, names.length - 1)) * (WIDE - LEFT - 12);
  const first = names[ranks.who[0]];
  return s(
    "svg.multiple",
    {
      viewBox: `0 0 ${WIDE} ${shown.length * TALL}`,
      role: "img",
      label: `${group}: ${first} ranks first, 95% interval ${count(ranks.low[0])} to ${count(ranks.high[0])}.`,
    },
    shown.map((i, row) => {
      const y = row * TALL + TALL / 2;
      return [
        s("text", { x: LEFT - 4, y: y + 4, "text-anchor": "end" }, cut(names[i], 11)),
        s("line.range", { x1: at(ranks.low[row]), x2: at(ranks.high[row]), y1: y, y2: y }),
        s("circle", { cx: at(ranks.rank[row]), cy: y, r: 3.5 }),
      ];
    }),
  );
}

/** Draws the ranks of every group; choosing one shows it everywhere. */
export async function groupRanks(body) {
  const key = `${state.workspace} ${state.hash}`;
  if (known?.key !== key) {
    put(body, h("div.bar.live", h("i")));
    known = { key, groups: (await get("/api/groups", { w: state.workspace })).groups };
  }
  put(
    body,
    h(
      "div.multiples",
      known.groups.map((one) =>
        h(
          "figure",
          { class: one.group === state.settings.group ? "on" : "" },
          h(
            "figcaption",
            h(
              "button.who",
              {
                key: `multiple-${one.group}`,
                click: () =>
                  change({ group: one.group, window: null, date: null }, `Group: ${one.group}`),
              },
              h("b", one.group),
            ),
            h("small", plural(one.contests, "contest")),
          ),
          one.ranks.why ? h("p.small.soft", one.ranks.why) : figure(one),
          one.names.length > MOST && h("small", `and ${one.names.length - MOST} more`),
        ),
      ),
    ),
    h("p.cap", "Dots: ranks; lines: 95% credible intervals, by dynamic ratings."),
  );
}
