// Learn: what Elo does, contest by contest.
import { button, h, onWidth, put, redraw } from "./dom.js";
import { course } from "./figures/course.js";
import { expectation } from "./figures/expectation.js";
import { duel, ending, rails, replayed } from "./lesson.js";
import { Refused, get, latest, send } from "./server.js";
import { state } from "./store.js";
import { OWN, TOURS } from "./tours.js";
import { day, number, plural } from "./words.js";

const MOST = 2000; // contests that are stepped through
const PACE = 900; // milliseconds per contest while playing
const opened = new Map(); // workspaces of the tours, by name
const now = {
  tour: TOURS[0],
  at: 1,
  k: null,
  steps: null,
  guide: null,
  error: null,
  playing: null,
};

const tours = () => (state.reading?.contests && state.reading.ordered ? [...TOURS, OWN] : TOURS);

async function workspaceOf(tour) {
  if (tour.id === "own") return state.workspace;
  if (!opened.has(tour.id)) {
    const answer = await send("POST", `/api/example/${tour.id}`, {});
    opened.set(tour.id, answer.workspace);
  }
  return opened.get(tour.id);
}

/** What is said on the way and at the end; one's own data have no end. */
async function guideOf(tour, w) {
  if (tour.id === "own") return { stops: tour.stops, settings: {}, ending: null };
  return get(`/api/tour/${tour.id}`, { w });
}

const rated = ({ k, curve, start, home }) => ({ k, curve, start, home });

export function mount(root) {
  const list = h("ul");
  const left = h(
    "aside.tours",
    { label: "Tours" },
    h("h2", null, "Tours"),
    list,
    !state.reading?.contests &&
      h("p.cap", "Open a file in Data to step through your own contests."),
  );
  const stage = h("section.stage", { label: "Contest by contest" });
  put(root, h("div.learn", left, stage));

  const load = latest(
    async ({ tour, k }) => {
      const w = await workspaceOf(tour);
      const guide = now.guide ?? (await guideOf(tour, w));
      const answer = await get("/api/steps", {
        w,
        from: 0,
        count: MOST,
        ...rated(guide.settings),
        ...(k === null ? {} : { k }),
      });
      return { tour, guide, answer };
    },
    (found) => {
      if (found instanceof Refused) {
        now.error = found.message;
        render();
        return;
      }
      if (found.tour !== now.tour) return;
      now.guide = found.guide;
      now.steps = replayed(found.answer);
      now.k = found.answer.settings.k;
      now.error = null;
      now.at = Math.min(now.at, now.steps.list.length);
      render();
    },
  );

  function choose(tour) {
    stop();
    Object.assign(now, { tour, at: 1, k: null, steps: null, guide: null, error: null });
    render();
    load({ tour, k: null });
  }

  const most = () => now.steps.list.length;
  const go = (to) => {
    now.at = Math.max(1, Math.min(most(), to));
    render();
  };
  const stop = () => {
    clearInterval(now.playing);
    now.playing = null;
  };
  const step = (by) => {
    stop();
    go(now.at + by);
  };
  function play() {
    if (now.playing) stop();
    else {
      if (now.at === most()) now.at = 1;
      now.playing = setInterval(() => {
        if (!stage.isConnected || now.at >= most()) {
          stop();
          if (stage.isConnected) render();
        } else go(now.at + 1);
      }, PACE);
    }
    render();
  }

  function transport(at) {
    return h(
      "div.row.transport",
      button("", () => step(-1), {
        glyph: "prev",
        label: "Previous contest",
        title: "Previous (←)",
        key: "prev",
        disabled: at === 1,
      }),
      button(now.playing ? "Pause" : "Play", play, {
        glyph: now.playing ? "pause" : "play",
        key: "play",
        title: "Space",
      }),
      button("", () => step(1), {
        glyph: "next",
        kind: "primary",
        label: "Next contest",
        title: "Next (→)",
        key: "next",
        disabled: at === most(),
      }),
    );
  }

  function scrubber(at, stops) {
    const marks = stops.map(([n]) =>
      h("button", {
        label: `Go to contest ${n}`,
        key: `stop-${n}`,
        class: n <= at ? "past" : "",
        css: { left: `calc(9px + (100% - 18px) * ${(n - 1) / Math.max(1, most() - 1)})` },
        click: () => {
          stop();
          go(n);
        },
      }),
    );
    return h(
      "div.scrub",
      h("input", {
        type: "range",
        min: 1,
        max: most(),
        value: at,
        label: "Contest",
        key: "scrub",
        input: ({ target }) => {
          stop();
          go(Number(target.value));
        },
      }),
      stops.length > 1 && h("div.stops", marks),
    );
  }

  function playing() {
    const { list: all, names, lines, range } = now.steps;
    const { at } = now;
    const one = all[at - 1];
    const before = at > 1 ? all[at - 2].all : names.map(() => now.steps.start);
    const stops = now.guide.stops.map(([n, text]) => [Math.min(n, most()), text]);
    const words = stops.findLast(([n]) => n <= at)?.[1];
    const half =
      root.clientWidth < 760
        ? root.clientWidth - 66
        : (root.clientWidth - (root.clientWidth > 1180 ? 300 : 40)) / 2 - 56;
    const k = h("input", {
      type: "range",
      min: 0,
      max: 400,
      step: 4,
      value: now.k,
      label: "k",
      key: "learn-k",
      input: () => load({ tour: now.tour, k: Number(k.value) }),
    });
    return [
      h(
        "header.stepper",
        h(
          "div",
          h(
            "span.soft.eyebrow",
            `${now.tour.title}${one.time === null ? "" : ` · ${day(one.time)}`}${now.steps.shuffled ? " · one random order" : ""}`,
          ),
          h("h1", null, `Contest ${number(at)} of ${number(most())}`),
        ),
        transport(at),
      ),
      scrubber(at, stops),
      h("p.remark", { "aria-live": "polite" }, words),
      duel(one, names, now.k),
      h(
        "div.two",
        h(
          "div.panel",
          h(
            "header",
            h("h2", null, "What was expected"),
            h("label.soft", "k ", k, h("output", number(now.k))),
          ),
          now.steps.curve &&
            expectation(Math.max(240, Math.min(620, half)), 270, {
              ...one,
              curve: now.steps.curve,
              names: [names[one.winner], names[one.loser]],
            }),
        ),
        h(
          "div.panel",
          h("header", h("h2", null, "Ratings now")),
          h("div.railbox", { "data-scroll": "rails" }, rails(one, before, now.steps)),
        ),
      ),
      h(
        "div.panel.course",
        h("header", h("h2", null, "Ratings so far")),
        course(Math.max(260, stage.clientWidth - 40), 210, {
          names,
          kind: "contest",
          span: [0, most()],
          range,
          stop: at,
          lines: lines.map((points) => points.filter(([n]) => n <= at)),
        }),
      ),
      now.steps.total > most() &&
        h("p.cap", `The first ${number(most())} of ${plural(now.steps.total, "contest")}.`),
      at === most() && now.guide.ending && ending(now.guide.ending),
    ];
  }

  function render() {
    if (!stage.isConnected) return;
    redraw(list, () =>
      put(
        list,
        tours().map((tour) =>
          h(
            "li",
            h(
              "button",
              {
                key: `tour-${tour.id}`,
                "aria-current": String(tour === now.tour),
                click: () => choose(tour),
              },
              h("b", tour.title),
              h("small", tour.text),
            ),
          ),
        ),
      ),
    );
    redraw(stage, () =>
      put(
        stage,
        now.error
          ? h("div.notice", h("p", now.error))
          : now.steps
            ? playing()
            : h("div.blank", h("div.bar.live", h("i"))),
      ),
    );
  }
  if (!tours().includes(now.tour)) now.tour = TOURS[0];
  if (now.steps && now.tour.id !== "own") render();
  else choose(now.tour);
  onWidth(root, render);

  const pressed = (event) => {
    if (!stage.isConnected) {
      document.removeEventListener("keydown", pressed);
      return;
    }
    if (
      event.target.matches?.("input, select, textarea") ||
      !now.steps ||
      event.ctrlKey ||
      event.metaKey
    )
      return;
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === " " && !event.target.matches?.("button, a, summary")) {
      event.preventDefault();
      play();
    }
  };
  document.addEventListener("keydown", pressed);
  return (changed) => {
    if (changed.has("theme") || changed.has("size")) render();
    if (changed.has("hash") && now.tour.id === "own") choose(OWN);
  };
}
