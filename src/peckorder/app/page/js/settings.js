// The settings of ratings: group, k with its profile, curve, start, home advantage.
import { button, h, put, redraw, segments } from "./dom.js";
import { profile } from "./figures/profile.js";
import { MOST_K, change, preview, state } from "./store.js";
import { count } from "./words.js";

/** A slider that shows its effect while it moves and is one step of undo when it is released. */
function slider(id, { min, max, step, label }) {
  const input = h("input", {
    id,
    type: "range",
    min,
    max,
    step,
    input: () => preview({ [id]: Number(input.value) }),
    change: () => change({ [id]: Number(input.value) }, `${label} = ${input.value}`),
  });
  return input;
}

/** The settings at the left: built once, so that a slider keeps its focus while figures change. */
export function settingsPanel() {
  const kOut = h("output", { for: "k" });
  const k = slider("k", { min: 0, max: MOST_K, step: 5, label: "k" });
  const chart = h("div.fill");
  const words = h("p.cap");
  const heading = h("span.lab.sub", "Log loss at each k");
  const best = button("Use the lowest log loss", () => change({ k: best.k }, `k = ${best.k}`), {
    kind: "small",
    key: "best",
  });
  const curve = h(
    "select",
    { id: "curve", change: () => change({ curve: curve.value }, `Curve: ${curve.value}`) },
    state.curves.map((name) => h("option", { value: name }, name)),
  );
  const start = h("input", {
    id: "start",
    type: "number",
    step: 100,
    change: () => change({ start: Number(start.value) || 0 }, `Start: ${start.value}`),
  });
  const home = slider("home", { min: 0, max: 200, step: 5, label: "Home advantage" });
  const homeOut = h("output", { for: "home" });
  const groups = h("div");
  const { groups: all, home: homes } = state.reading;
  const node = h(
    "aside.options",
    { label: "Settings" },
    all.length > 1 && h("div.opt", h("span.lab", "Group"), groups),
    h(
      "div.opt",
      h("label", { for: "k" }, "k, points at stake", kOut),
      k,
      heading,
      chart,
      words,
      best,
    ),
    h(
      "details.opt.more",
      { open: innerWidth > 900, key: "more" },
      h("summary", "More settings"),
      h("label", { for: "curve" }, "Curve"),
      curve,
      h("label", { for: "start" }, "Start"),
      start,
      homes
        ? [h("label", { for: "home" }, "Home advantage", homeOut), home]
        : [h("span.lab", "Home advantage"), h("p.cap", "No home column in these data.")],
    ),
  );

  function chooseGroup() {
    const pick = (group) => change({ group, window: null, date: null }, `Group: ${group}`);
    if (all.length <= 4)
      return segments(
        "Group",
        all.map((name) => [name, name]),
        state.settings.group,
        pick,
      );
    return h(
      "select",
      { label: "Group", key: "group", change: ({ target }) => pick(target.value) },
      all.map((name) =>
        h("option", { value: name, selected: name === state.settings.group }, name),
      ),
    );
  }

  function update() {
    const now = { ...state.settings, ...state.moving };
    k.value = now.k;
    kOut.textContent = count(now.k);
    if (document.activeElement !== start) start.value = now.start;
    curve.value = now.curve;
    home.value = now.home ?? 0;
    homeOut.textContent = now.home ?? 0;
    if (all.length > 1) redraw(groups, () => put(groups, chooseGroup()));
    const found = state.profile;
    best.hidden = !found;
    heading.hidden = !found;
    if (!found || found.why) {
      best.hidden = true;
      put(chart);
      words.textContent = found?.why ?? "";
      return;
    }
    put(
      chart,
      profile(Math.max(200, chart.clientWidth), 64, { ...found, at: now.k, most: MOST_K }),
    );
    best.k = Math.min(MOST_K, Math.round(found.best[0]));
    best.disabled = Math.round(now.k) === best.k;
    const here = found.points.reduce((one, other) =>
      Math.abs(other[0] - now.k) < Math.abs(one[0] - now.k) ? other : one,
    );
    words.textContent =
      now.k === 0
        ? "With k = 0 ratings never change."
        : `Log loss ${here[1].toFixed(3)}; lowest ${found.best[1].toFixed(3)} at k = ${count(Math.round(found.best[0]))}.${found.support ? ` Shaded: fits about as well (${count(Math.round(found.support[0]))}–${count(Math.round(found.support[1]))}).` : ""}`;
  }
  return { node, update };
}
