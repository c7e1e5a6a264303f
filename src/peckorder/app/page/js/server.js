// The server of the app: requests, events, and what happens when it is gone.

/** An answer that is not what was requested for: what is wrong, where, and what to do. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.error ?? `The server answered ${status}.`);
    this.status = status;
    this.body = body ?? {};
  }
}

const watchers = new Set();
let here = true;

/** Calls with false when the server is gone and with true when it is back. */
export const onPresence = (run) => {
  watchers.add(run);
};

function presence(now) {
  if (now === here) return;
  here = now;
  for (const run of watchers) run(now);
  if (!now) look();
}

let looking = false;

/** Looks again and again whether the server is there. */
async function look() {
  if (looking) return;
  looking = true;
  let found = false;
  do {
    try {
      // Another server at this address does not know this page: it is not the one that has gone.
      found = (await fetch("/api/hello")).ok;
    } catch {
      found = false;
    }
    presence(found);
    if (!found)
      await new Promise((wait) => {
        setTimeout(wait, 2000);
      });
  } while (!found);
  looking = false;
}

async function requested(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    presence(false);
    throw new Refused(0, { error: "The server has stopped." });
  }
  presence(true);
  const kind = answer.headers.get("content-type") ?? "";
  const body = kind.includes("json") ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw new Refused(answer.status, body);
  return body;
}

const query = (values) => {
  const given = Object.entries(values ?? {})
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    .filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const get = (path, values, signal) => requested(`${path}${query(values)}`, { signal });

export const send = (method, path, body, signal) =>
  requested(path, {
    method,
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });

/** A file as it is; its name goes with the address. */
export const upload = (path, values, content, signal) =>
  requested(`${path}${query(values)}`, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/octet-stream" },
    body: content,
  });

/** A file that the server makes. */
export async function taken(address, values) {
  const [path, given] = address.split("?");
  let answer;
  try {
    answer = await fetch(
      `${path}${query({ ...values, ...Object.fromEntries(new URLSearchParams(given)) })}`,
    );
  } catch {
    presence(false);
    throw new Refused(0, { error: "The server has stopped." });
  }
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  return answer.blob();
}

/** One request at a time; of those made meanwhile only the latest is kept. */
export function latest(request, done) {
  let running = false;
  let waiting = null;
  return async function ask(values) {
    if (running) {
      waiting = { values };
      return;
    }
    running = true;
    let next = { values };
    while (next) {
      const { values: now } = next;
      try {
        const answer = await request(now);
        // An older answer is shown as well: it is nearer to the slider than the picture before.
        done(answer, now);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (!waiting) done(error, now);
      }
      next = waiting;
      waiting = null;
    }
    running = false;
  };
}

/** Listens to what the server says by itself; the browser connects again when it must. */
export function events(address, handlers) {
  const source = new EventSource(address);
  for (const [name, run] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => run(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => presence(true));
  source.addEventListener("error", look);
  return source;
}
