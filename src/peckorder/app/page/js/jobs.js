// Jobs: long answers, computed by processes of the server and kept while settings change.
import { say } from "./dom.js";
import { get, send } from "./server.js";
import { jobEvents, onJobs, set, state, trouble } from "./store.js";

const w = () => ({ w: state.workspace });
const ACTIVE = ["waiting", "running"];
const results = new Map(); // contents of finished jobs, by job

export const active = (job) => ACTIVE.includes(job?.state);
export const running = () => [...state.jobs.values()].flat().filter(active).length;

/** The latest job of a question, and the latest one that has a result. */
export function jobOf(ask) {
  const all = state.jobs.get(ask) ?? [];
  return { job: all.at(-1) ?? null, done: all.findLast((one) => one.state === "done") ?? null };
}

function found(job) {
  for (const list of state.jobs.values()) {
    const one = list.find((other) => other.job === job);
    if (one) return one;
  }
  return null;
}

function changed(job, patch) {
  const one = found(job);
  if (!one) {
    refreshJobs();
    return;
  }
  Object.assign(one, patch);
  set({ jobs: state.jobs });
}

function take({ jobs }) {
  const byAsk = new Map();
  for (const one of jobs) byAsk.set(one.ask, [...(byAsk.get(one.ask) ?? []), one]);
  set({ jobs: byAsk });
}

export async function refreshJobs() {
  if (!state.workspace) return;
  try {
    take(await get("/api/jobs", w()));
  } catch (error) {
    trouble(error);
  }
}

export async function start(ask, settings = {}) {
  try {
    const job = await send("POST", `/api/jobs?w=${state.workspace}`, { ask, settings });
    const list = (state.jobs.get(ask) ?? []).filter((other) => other.job !== job.job);
    set({
      jobs: new Map(state.jobs).set(ask, [
        ...list,
        { done: 0, total: 0, eta: null, current: true, ...job },
      ]),
    });
    say("Started");
    return job.job;
  } catch (error) {
    trouble(error);
    return null;
  }
}

export async function cancel(job) {
  try {
    await send("DELETE", `/api/jobs/${job}?w=${state.workspace}`);
    changed(job, { state: "cancelled" });
    say("Cancelled. Nothing was kept.");
  } catch (error) {
    trouble(error);
  }
}

/** The content of a finished job; requested for once. */
export function resultOf(job) {
  const kept = results.get(job);
  if (kept) return kept.content;
  const entry = { content: null };
  results.set(job, entry);
  get(`/api/results/${job}`, w()).then(
    (content) => {
      entry.content = content;
      set({ jobs: state.jobs });
    },
    (error) => {
      results.delete(job);
      trouble(error);
    },
  );
  return null;
}

Object.assign(jobEvents, {
  progress: ({ job, ...rest }) => changed(job, { state: "running", ...rest }),
  result: ({ job, head }) => {
    changed(job, { state: "done", head, current: true });
    say(`Finished. ${head ?? ""}`);
    refreshJobs();
  },
  cancelled: ({ job }) => changed(job, { state: "cancelled" }),
  failed: ({ job, text }) => {
    changed(job, { state: "failed", text });
    say(text);
  },
});
onJobs(take);
