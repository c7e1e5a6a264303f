// Contests over time as bars, with a window that can be dragged and a pin for the date of ranks.
import { h, s } from "./dom.js";
import { DAY, day, number } from "./words.js";
import { scale } from "./figures/parts.js";

const LEAST_DRAG = 6; // pixels; less is a click

/** Counts of at most so many bins, from finer ones. */
function merged(fine, most) {
  const every = Math.ceil(fine.length / most);
  const made = [];
  for (let i = 0; i < fine.length; i += every) {
    made.push(fine.slice(i, i + every).reduce((sum, one) => sum + one, 0));
  }
  return made;
}

/** Follows a pointer from its press to its release. */
function dragged(node, begin) {
  node.addEventListener("pointerdown", (event) => {
    const steps = begin(event);
    if (!steps) return;
    event.preventDefault();
    event.stopPropagation();
    node.setPointerCapture(event.pointerId);
    const stop = new AbortController();
    const end = () => {
      stop.abort();
      steps.end();
    };
    node.addEventListener("pointermove", steps.move, { signal: stop.signal });
    node.addEventListener("pointerup", end, { signal: stop.signal });
    node.addEventListener("pointercancel", end, { signal: stop.signal });
  });
}

/**
 * changed({ window, date }, done): window is [from, to] or null, date a time or null; done is
 * false while a pointer is still moving.
 */
export function timeStrip(changed) {
  const bars = h("div.bars");
  const shade = h("div.shade");
  const box = h(
    "div.strip",
    { role: "group", label: "Window of time and date of the ranks" },
    bars,
    shade,
  );
  let [x, span, unit, kind] = [null, null, DAY, "date"];
  let now = { window: null, date: null };

  const clamp = (value) => {
    const inside = Math.min(span[1], Math.max(span[0], value));
    return Math.round((inside - span[0]) / unit) * unit + span[0];
  };
  const at = (event) => clamp(x.back(event.clientX - box.getBoundingClientRect().left));
  const low = () => now.window?.[0] ?? span[0];
  const high = () => now.window?.[1] ?? span[1];
  const date = () => now.date ?? span[1];
  const show = (done) => {
    place();
    changed(now, done);
  };
  const least = () => Math.min(span[1] - span[0], unit);
  function setWindow(from, to, done) {
    const whole = from <= span[0] && to >= span[1];
    now = { ...now, window: whole ? null : [from, to] };
    show(done);
  }
  function setDate(time, done) {
    now = { ...now, date: time >= span[1] ? null : time };
    show(done);
  }

  function knob(look, label, get, move) {
    const node = h("div", {
      class: `knob ${look}`,
      role: "slider",
      tabindex: "0",
      label,
      key: `knob-${look}`,
    });
    dragged(node, () => {
      node.focus();
      return { move: (event) => move(at(event), false), end: () => move(get(), true) };
    });
    node.addEventListener("keydown", (event) => {
      const far = Math.max(1, Math.round((span[1] - span[0]) / unit / 12));
      const by = {
        ArrowLeft: -1,
        ArrowDown: -1,
        ArrowRight: 1,
        ArrowUp: 1,
        PageDown: -far,
        PageUp: far,
      }[event.key];
      const to =
        event.key === "Home"
          ? span[0]
          : event.key === "End"
            ? span[1]
            : by && clamp(get() + by * unit);
      if (to === undefined) return;
      event.preventDefault();
      move(to, true);
    });
    return node;
  }
  const left = knob("left", "Window starts", low, (time, done) =>
    setWindow(Math.min(time, high() - least()), high(), done),
  );
  const right = knob("right", "Window ends", high, (time, done) =>
    setWindow(low(), Math.max(time, low() + least()), done),
  );
  const pin = knob("pin", "Ranks at the end of", date, setDate);
  box.append(left, right, pin);

  dragged(shade, (event) => {
    if (!now.window) return null;
    const from = at(event);
    const [a, b] = now.window;
    return {
      move: (moved) => {
        const by = Math.min(span[1] - b, Math.max(span[0] - a, at(moved) - from));
        setWindow(clamp(a + by), clamp(b + by), false);
      },
      end: () => show(true),
    };
  });
  dragged(bars, (event) => {
    const from = at(event);
    const before = now.window;
    return {
      move: (moved) => {
        const to = at(moved);
        if (Math.abs(moved.clientX - event.clientX) < LEAST_DRAG || to === from) return;
        setWindow(Math.min(from, to), Math.max(from, to), false);
      },
      end: () => {
        if (now.window !== before) show(true);
      },
    };
  });

  const said = (value) => (kind === "date" ? day(value) : `contest ${number(value)}`);
  function place() {
    left.style.left = `${x(low())}px`;
    right.style.left = `${x(high())}px`;
    pin.style.left = `${x(date())}px`;
    shade.style.left = `${x(low())}px`;
    shade.style.width = `${x(high()) - x(low())}px`;
    shade.classList.toggle("on", Boolean(now.window));
    for (const [node, value] of [
      [left, low()],
      [right, high()],
      [pin, date()],
    ]) {
      node.setAttribute("aria-valuemin", 0);
      node.setAttribute("aria-valuemax", Math.round((span[1] - span[0]) / unit));
      node.setAttribute("aria-valuenow", Math.round((value - span[0]) / unit));
      node.setAttribute("aria-valuetext", said(value));
    }
    pin.dataset.text = now.date === null ? "" : said(now.date);
    pin.classList.toggle("late", x(date()) > box.clientWidth - 110);
  }

  /** bins: contests per part of the span; margins: those of the figure above. */
  function update({ bins: fine, span: given, kind: axis, window, date: pinned, margins }) {
    [span, kind] = [given, axis];
    unit = kind === "date" ? DAY : 1;
    now = { window, date: pinned };
    const width = box.clientWidth;
    const [p, q] = [margins.l, Math.max(margins.l + 40, width - margins.r)];
    x = scale(span, [p, q]);
    const many = merged(fine, Math.max(12, Math.min(60, Math.floor((q - p) / 9))));
    const most = Math.max(1, ...many);
    const step = (q - p) / many.length;
    bars.replaceChildren(
      s(
        "svg",
        { width, height: 40, mute: true },
        many.map((contests, i) =>
          s("rect", {
            x: p + i * step + 0.5,
            y: 38 - (30 * contests) / most,
            width: Math.max(0.5, step - 1.5),
            height: (30 * contests) / most,
            rx: 1,
          }),
        ),
      ),
    );
    place();
  }
  return { box, update };
}
