// Opening a file, cells or an example; what takes longer can be cancelled.
import { say } from "./dom.js";
import { Refused, get, send, upload } from "./server.js";
import { begun, set, state, take } from "./store.js";

let stopOpening = null;
const SLOW = 300; // milliseconds; what is faster needs no word

async function opened(name, bytes, request) {
  stopOpening?.abort();
  const stop = new AbortController();
  stopOpening = stop;
  const before = { phase: state.phase };
  const patience = setTimeout(() => set({ phase: "loading", opening: { name, bytes } }), SLOW);
  location.hash = "#/data";
  try {
    const answer = await request(stop.signal);
    clearTimeout(patience);
    take(answer, { phase: null, opening: null, failure: null });
    begun();
    say(`${name} was read. ${answer.contests} contests.`);
  } catch (error) {
    clearTimeout(patience);
    if (error.name === "AbortError") {
      set({ phase: "cancelled", opening: null });
      return;
    }
    if (!(error instanceof Refused)) throw error;
    if (error.status === 0) {
      set(before);
      return;
    }
    set({ phase: "failed", opening: null, failure: failureOf(name, bytes, error) });
  }
}

function failureOf(name, bytes, error) {
  if (error.status === 413) {
    return {
      name,
      title: `${name} is too large for the app`,
      text: `${error.message} The shell reads files of any size in batches:`,
      command: `peckorder elo ${/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "")}'`} --stream`,
    };
  }
  return {
    name,
    text: error.message,
    hint: "If the table is in another kind of document, copy its cells and use Paste cells.",
  };
}

export const cancelOpening = () => stopOpening?.abort();

/**
 * Opens a file; several are joined, also with the data of the workspace that is named.
 * @param {File[]} files
 * @param {string | null} [added]
 */
export function openFiles(files, added = null) {
  const limit = state.limits.upload;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const names = files.map(({ name }) => name).join(" + ");
  if (bytes > limit) {
    const tooLarge = new Refused(413, {
      error: `${(bytes / 2 ** 20).toFixed(0)} MB; the limit is ${(limit / 2 ** 20).toFixed(0)} MB.`,
    });
    location.hash = "#/data";
    set({ phase: "failed", failure: failureOf(names, bytes, tooLarge) });
    return Promise.resolve();
  }
  const about = { name: files.map(({ name }) => name), size: files.map(({ size }) => size) };
  return opened(names, bytes, (signal) =>
    upload("/api/record", { ...about, w: added }, new Blob(files), signal),
  );
}
export const openText = (text) =>
  opened("the pasted cells", text.length, (signal) =>
    upload("/api/record", {}, new Blob([text]), signal),
  );
export const openExample = (name) =>
  opened(name, 0, (signal) => send("POST", `/api/example/${name}`, {}, signal));

/** What was worked on before, which goes on where it was left. */
export const resume = ({ id, name }) =>
  opened(name, 0, (signal) => send("POST", `/api/recent/${id}`, {}, signal));
export async function forget({ id }) {
  set(await send("DELETE", `/api/recent/${id}`));
}
export async function loadRecent() {
  try {
    set(await get("/api/recent"));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
