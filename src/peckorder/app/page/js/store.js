// What the app knows. The server holds record, reading, settings and results; the page holds the
// view: the screen, who is followed, and what is being dragged.
import { say } from "./dom.js";
import { viewOf } from "./elo.js";
import { Refused, events, get, latest, send, upload } from "./server.js";
import { iso, moment } from "./words.js";

export const MOST_K = 400;
const ALL = "ranking,lines,matrix,structure,strip,accuracy";
const NARROW = 60; // above so many individuals the server sends the lines of some
const WORKSPACE = "peckorder-workspace";

/** @type {Record<string, any>} */
export const state = {
  // the view
  screen: "data",
  theme: "light",
  method: "dynamic",
  size: "",
  follow: null,
  codeOpen: false,
  tongue: "shell",
  lit: null,
  only: false,
  phase: null,
  opening: null,
  failure: null,
  question: "certain",
  trouble: null,
  // what the server says
  version: "",
  quits: false,
  limits: { upload: 0 },
  examples: [],
  recent: [],
  curves: ["logistic", "normal", "exponential"],
  workspace: null,
  rev: 0,
  record: null,
  reading: null,
  settings: {},
  undo: null,
  redo: null,
  code: {},
  jobs: new Map(),
  // what follows from it
  names: [],
  raw: null,
  elo: null,
  certainty: null,
  profile: null,
  moving: {},
};

// ----- listeners

const listeners = new Set();
export const listen = (run) => {
  listeners.add(run);
};

/** Changes the state, and passes on to the screens which parts of it. */
export function set(patch) {
  Object.assign(state, patch);
  const changed = new Set(Object.keys(patch));
  for (const run of listeners) run(changed);
  if (patch.follow && state.names.length > NARROW) askElo(requested(state.moving, "lines"));
}

/** Says that something could not be done; it goes away by itself. */
export function trouble(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 0) return;
  set({ trouble: error.message });
  say(error.message);
}

// ----- the state of the server

const TIME = (value) =>
  value === null || value === undefined
    ? null
    : typeof value === "string" && !/^[\d.]+$/.test(value)
      ? moment(value)
      : Number(value);

/** Settings of the server as the page uses them: times as numbers, the window as a pair. */
/** @returns {Record<string, any>} */
function settingsOf({ at, from, to, ...rest }) {
  const ends = [TIME(from), TIME(to)];
  const window = ends[0] === null && ends[1] === null ? null : ends;
  return { ...rest, date: TIME(at), window };
}

/** The other way round. */
function written(settings) {
  const { date, window, ...rest } = settings;
  const dated = state.reading?.dated;
  const text = (value) =>
    value === null || value === undefined ? null : dated ? iso(value) : String(Math.round(value));
  if ("date" in settings) rest.at = text(date);
  if ("window" in settings) [rest.from, rest.to] = window ? window.map(text) : [null, null];
  return rest;
}

/** The part of an answer that is about the sheet. */
function readingOf(answer) {
  const { reading, checks } = answer;
  const header = reading.row_word === "row" && reading.first_row > 1 ? reading.first_row - 1 : null;
  return {
    ...reading,
    header: reading.options.header ?? header,
    contests: answer.contests,
    individuals: answer.individuals,
    groups: answer.groups,
    dated: answer.dated,
    ordered: answer.ordered,
    home: answer.home,
    span: answer.dated && answer.span ? answer.span.map(TIME) : null,
    open: answer.open,
    undecided: answer.undecided,
    doubtful: new Map(Object.entries(answer.doubtful)),
    checks: checks.filter(({ state: kind }) => kind !== "passed"),
    passed: checks.filter(({ state: kind }) => kind === "passed").map(({ text }) => text),
    suggested: checks.some(
      (check) =>
        ["open", "wrong"].includes(check.state) &&
        [...check.choices, ...check.items.flatMap(({ choices }) => choices)].some(
          (one) => one.suggested,
        ),
    ),
    failure: reading.failure.length ? reading.failure : null,
  };
}

/**
 * Takes over an answer that describes the whole workspace. An answer that was overtaken by a newer
 * one is left. What is being moved stays as it is, unless the answer is about just that (moved).
 * @param {any} answer
 * @param {Record<string, any>} [about]
 */
export function take(answer, { moved = null, ...more } = {}) {
  const known = answer.workspace === state.workspace;
  if (known && answer.rev < state.rev) return;
  const reading = readingOf(answer);
  const settings = settingsOf(answer.settings);
  if (!settings.group || !reading.groups.includes(settings.group))
    settings.group = reading.groups[0] ?? null;
  const changed =
    !known ||
    answer.hash !== state.hash ||
    JSON.stringify(settings) !== JSON.stringify(state.settings);
  /** @type {Record<string, any>} */
  const patch = {
    workspace: answer.workspace,
    rev: answer.rev,
    record: answer.record,
    reading,
    settings,
    moving: known && state.moving !== moved ? state.moving : {},
    undo: answer.undo,
    redo: answer.redo,
    hash: answer.hash,
    key: answer.key ?? null,
    ...more,
  };
  if (known) delete patch.record;
  if (!known)
    Object.assign(patch, {
      lit: null,
      only: false,
      follow: null,
      raw: null,
      elo: null,
      profile: null,
      names: [],
      jobs: new Map(),
    });
  else if (changed) Object.assign(patch, { raw: null });
  // Pictures of other contests are not left in sight while the new ones are made.
  if (answer.hash !== state.hash || settings.group !== state.settings.group)
    Object.assign(patch, { elo: null, certainty: null, profile: null, why: null });
  if (state.lit && !reading.checks.some(({ id }) => id === state.lit)) patch.lit = null;
  state.rows = new Map();
  set(patch);
  if (answer.jobs) takeJobs(answer);
  loadCode();
  loadElo();
}

const w = () => ({ w: state.workspace });
const path = (address) => `${address}?w=${state.workspace}`;

// Changes are sent one after the other, each on the state that the one before has made. Settings
// that change again while they wait are sent once.
const waiting = [];
let sending = false;

async function sent({ method, address, body, label, word, moved }) {
  try {
    const answer = await send(method, path(address), {
      rev: state.rev,
      ...body,
      ...(label ? { label } : {}),
    });
    take(answer, { moved });
    say(`${word}${answer.label ?? label ?? "Done"}. ${answer.contests} contests.`);
  } catch (error) {
    // A change made on an older state, by another window, is answered with the newer one.
    if (error.status === 409) await refresh();
    trouble(error);
    if (state.moving === moved) set({ moving: {} });
  }
}

async function ask(method, address, body, label = null, word = "") {
  const last = waiting.at(-1);
  if (last?.address === address && address === "/api/settings") {
    Object.assign(last.body.set, body.set);
    last.label = label;
    last.moved = state.moving;
  } else waiting.push({ method, address, body, label, word, moved: state.moving });
  if (sending) return;
  sending = true;
  while (waiting.length) await sent(waiting.shift());
  sending = false;
}

export const decide = (change, label) => ask("PATCH", "/api/reading", { set: change }, label);
export const acceptAll = () => ask("PATCH", "/api/reading", { accept: true });
export const setRole = (column, role, label) =>
  ask("PATCH", "/api/reading", { role: { column, role } }, label);
export function change(settings, label) {
  state.moving = { ...state.moving, ...settings };
  return ask("PATCH", "/api/settings", { set: written(settings) }, label);
}
export const undo = () => state.undo && ask("POST", "/api/undo", {}, null, "Undone: ");
export const redo = () => state.redo && ask("POST", "/api/redo", {}, null, "Redone: ");
export const follow = (name) => set({ follow: state.follow === name ? null : name });

export function moveK(by) {
  if (!state.record) return;
  const k = Math.max(0, Math.min(MOST_K, (state.moving.k ?? state.settings.k) + by));
  change({ k }, `k = ${k}`);
}

/** A file that says when individuals were present. */
export async function givePresence(file) {
  try {
    take(await upload("/api/presence", { ...w(), rev: state.rev, name: file.name }, file));
    say(`Presence from ${file.name}.`);
  } catch (error) {
    if (error.status === 409) await refresh();
    trouble(error);
  }
}

/** Runs of rows of a check, known for the present reading. */
export async function checkRows(id) {
  if (!state.rows.has(id)) {
    const answer = await get(`/api/check/${encodeURIComponent(id)}/rows`, w());
    const runs =
      answer.runs ??
      Object.values(answer.left)
        .flat()
        .sort((one, other) => one[0] - other[0]);
    state.rows.set(id, runs);
  }
  return state.rows.get(id);
}

export const gridWindow = (values) => get("/api/grid", { ...w(), ...values });

// ----- ratings

const PARTS = {
  k: "ranking,lines,accuracy",
  curve: "ranking,lines,accuracy",
  start: "ranking,lines",
  home: "ranking,lines,accuracy",
  date: "ranking",
  window: "matrix,structure",
};

const requested = (moving, parts) => {
  const followed = state.names.length > NARROW ? state.follow : null;
  // An empty text means none; what is left out is as the server has it.
  const given = Object.entries(written(moving)).map(([name, value]) => [name, value ?? ""]);
  return {
    ...w(),
    ...Object.fromEntries(given),
    parts,
    points: state.names.length > 20 ? 200 : 600,
    follow: followed,
  };
};

const askElo = latest(
  (values) => get("/api/elo", values),
  (answer, values) => {
    if (values.w !== state.workspace) return;
    if (answer instanceof Refused) {
      set({ elo: null, raw: null, names: [], why: answer.status === 409 ? null : answer.message });
      return;
    }
    if (answer.rev !== state.rev) return;
    const raw = state.raw ? { ...state.raw, ...answer } : answer;
    if (!raw.ranking || !raw.matrix || !raw.strip) return;
    const elo = viewOf(raw);
    set({ raw, elo, names: elo.names, why: null });
  },
);

const askCertainty = latest(
  (values) => get("/api/certainty", values),
  (answer, values) => {
    if (values.w !== state.workspace) return;
    set({ certainty: answer instanceof Refused ? { why: answer.message } : answer });
  },
);

let asked = {};
export function loadElo() {
  const now = { hash: state.hash, group: state.settings.group, ...written(state.settings) };
  if (!state.reading?.contests) {
    set({ elo: null, raw: null, names: [] });
    return;
  }
  askElo(requested(state.moving, ALL));
  if (["hash", "at", "from", "to", "limited", "group"].some((name) => asked[name] !== now[name]))
    askCertainty({ ...w() });
  asked = now;
}

/** Shows settings that are being dragged, without keeping them. */
export function preview(moving) {
  state.moving = { ...state.moving, ...moving };
  const needed = Object.keys(state.moving).flatMap((name) => (PARTS[name] ?? ALL).split(","));
  // The first answer must be whole, and all changes with a window that limits the ratings.
  const some = state.raw && !state.settings.limited;
  const parts = some ? [...new Set(needed)].join() : ALL;
  askElo(requested(state.moving, parts));
  set({ moving: state.moving });
}

const askProfile = latest(
  (values) => get("/api/profile", values),
  (answer, values) => {
    if (values.w !== state.workspace) return;
    if (answer instanceof Refused) {
      set({ profile: { why: answer.message } });
      return;
    }
    if (answer.why) {
      set({ profile: answer });
      return;
    }
    const points = answer.k.map((k, place) => [k, answer.loss[place]]);
    const near = points.reduce((one, other) => (other[1] < one[1] ? other : one));
    set({
      profile: {
        points,
        best: [answer.best, near[1]],
        support: [answer.low ?? 0, answer.high ?? MOST_K],
      },
    });
  },
);

export function loadProfile() {
  if (state.reading?.ordered) askProfile({ ...w() });
  else set({ profile: null });
}

const askCode = latest(
  (values) => get("/api/code", values),
  (answer, values) => {
    if (values.w === state.workspace && !(answer instanceof Refused)) set({ code: answer });
  },
);
export function loadCode() {
  if (state.workspace) askCode({ ...w(), verb: state.screen === "data" ? "check" : "elo" });
}

// ----- beginning

let source = null;

/** Remembers the workspace of this page and listens to what happens in it. */
export function begun() {
  sessionStorage.setItem(WORKSPACE, state.workspace);
  source?.close();
  source = events(`/api/events?w=${state.workspace}`, {
    rev: ({ rev }) => {
      if (rev > state.rev) refresh();
    },
    ...jobEvents,
  });
}

export async function refresh() {
  try {
    take(await get("/api/state", w()));
  } catch (error) {
    trouble(error);
  }
}

/** What a fresh page needs to know; a workspace that was open before is opened again. */
export async function begin() {
  const hello = await get("/api/hello");
  Object.assign(state, {
    version: hello.version,
    quits: hello.quits,
    limits: { upload: hello.upload },
    examples: hello.examples,
  });
  state.rev = -1; // another server counts from the beginning
  const known = [sessionStorage.getItem(WORKSPACE), hello.open].filter(Boolean);
  for (const workspace of new Set(known)) {
    // A server that was started again has the work of the one before as it was saved.
    for (const ask of [
      () => get("/api/state", { w: workspace }),
      () => send("POST", `/api/recent/${workspace}`),
    ])
      try {
        take(await ask());
        begun();
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
  }
}

// ----- jobs: see jobs.js, which fills in what happens with their events

export const jobEvents = {};
/** @type {(answer?: any) => void} */
let takeJobs = () => {};
export const onJobs = (run) => {
  takeJobs = run;
};
