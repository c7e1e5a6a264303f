// Elements are made with text nodes only: a name from a sheet can never become markup.

const SHORT = {
  key: "data-key",
  label: "aria-label",
  pressed: "aria-pressed",
  expanded: "aria-expanded",
  mute: "aria-hidden",
};
const OWN = new Set(["value", "checked", "disabled", "selected"]);

function fill(node, props, kids) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null) continue;
    if (SHORT[name]) node.setAttribute(SHORT[name], String(value));
    else if (value === false && !OWN.has(name)) continue;
    else if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "css") {
      for (const [rule, text] of Object.entries(value)) node.style.setProperty(rule, text);
    } else if (OWN.has(name)) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const kid of kids.flat(Infinity)) {
    if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
  }
  return node;
}

/** @type {(create: (tag: string) => any) => (kind: string, props?: any, ...kids: any[]) => any} */
const make =
  (create) =>
  (kind, props, ...kids) => {
    const [tag, ...names] = kind.split(".");
    const node = create(tag);
    if (names.length) node.setAttribute("class", names.join(" "));
    if (tag === "button") node.type = "button";
    const given = props && Object.getPrototypeOf(props) === Object.prototype;
    return fill(node, given ? props : null, given || props === null ? kids : [props, ...kids]);
  };

/** h("button.btn.small", { title }, "text", node): classes follow the tag. */
export const h = make((tag) => document.createElement(tag));
export const s = make((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

/** Puts children in the place of those there were; what is false is left out. */
export function put(node, ...kids) {
  node.replaceChildren();
  return fill(node, null, kids);
}

/** Draws again and keeps what a reader had: focus by key, and how far boxes were scrolled. */
export function redraw(root, draw) {
  /** @type {any} */
  const active = document.activeElement;
  const key = root.contains(active) ? active.dataset.key : undefined;
  const boxes = [...root.querySelectorAll("[data-scroll]")].map((box) => [
    box.dataset.scroll,
    box.scrollTop,
    box.scrollLeft,
  ]);
  const open = [...root.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key);
  draw();
  for (const name of open) {
    const one = root.querySelector(`details[data-key="${CSS.escape(name)}"]`);
    if (one) one.open = true;
  }
  for (const [name, top, left] of boxes) {
    const box = root.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
    if (box) [box.scrollTop, box.scrollLeft] = [top, left];
  }
  if (key && !root.contains(document.activeElement)) {
    root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }
}

const PATHS = {
  data: "M3 4.5h14v11H3zM3 8h14M3 11.7h14M8 8v7.5",
  explore: "M3 3v14h14M6 13l3-4 3 2 5-6",
  answer: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7 10.2l2.2 2.2L13.2 8",
  learn: "M3 16h3.5v-3.5H10V9h3.5V5.5H17",
  take: "M10 3v9M6.5 8.8 10 12.3l3.5-3.5M3.5 14v3h13v-3",
  undo: "M7 5 3.5 8.5 7 12M3.5 8.5H12a4.2 4.2 0 0 1 0 8.4H8",
  redo: "M13 5l3.5 3.5L13 12M16.5 8.5H8a4.2 4.2 0 0 0 0 8.4h4",
  moon: "M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3z",
  sun:
    "M10 6.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8zM10 2v2M10 16v2M2 10h2M16 10h2" +
    "M4.3 4.3l1.5 1.5M14.2 14.2l1.5 1.5M4.3 15.7l1.5-1.5M14.2 5.8l1.5-1.5",
  code: "M7 5.5 2.5 10 7 14.5M13 5.5l4.5 4.5-4.5 4.5",
  copy: "M7 7h10v10H7zM13 7V3H3v10h4",
  play: "M6 4l10 6-10 6z",
  pause: "M6.5 4v12M13.5 4v12",
  prev: "M12.5 4.5 7 10l5.5 5.5",
  next: "M7.5 4.5 13 10l-5.5 5.5",
  warn: "M10 3 2.2 16.5h15.6zM10 8.2v3.8M10 14.2v.2",
  check: "M4 10.5l4 4 8-9",
  close: "M5 5l10 10M15 5 5 15",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 7.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z",
  file: "M5 2.5h6.5L15 6v11.5H5zM11.5 2.5V6H15",
  lock: "M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9",
  upload: "M10 13V4M6.5 7.5 10 4l3.5 3.5M3.5 13v3.5h13V13",
  paste: "M5 4h10v13H5zM7.5 2.5h5v3h-5zM7.5 9.5h5M7.5 12.5h5",
  note: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 9v4.5M10 6.4v.2",
  size: "M3 16 7 5l4 11M4.4 12.4h5.2M12.5 16l2.5-7 2.5 7M13.3 13.8h3.4",
  stop: "M5.5 5.5h9v9h-9z",
  quit: "M10 2.8v6.4M6.3 5.2a6.3 6.3 0 1 0 7.4 0",
  more: "M4.5 10h.1M10 10h.1M15.5 10h.1",
};

export const icon = (name, size = 18) =>
  s(
    "svg",
    { viewBox: "0 0 20 20", width: size, height: size, class: `icon i-${name}`, mute: true },
    s("path", { d: PATHS[name] }),
  );

export const logo = () =>
  s(
    "svg",
    { viewBox: "0 0 28 28", width: 28, height: 28, class: "logo", mute: true },
    s("path.comb", {
      d: "M6.2 9.6a2.6 2.6 0 0 1 2.3-4.4 2.9 2.9 0 0 1 5.4-.6 2.7 2.7 0 0 1 4.3 3z",
    }),
    s("path.head", {
      d: "M12.5 6.6a8 8 0 0 1 8 8c0 4.3-3 6.3-3 10.4H5.2c0-4.2-.8-6.6-.8-10.4a8 8 0 0 1 8.1-8z",
    }),
    s("path.beak", { d: "M20 11.6l6 2.9-6 2.5z" }),
    s("circle.seen", { cx: 15.2, cy: 12.6, r: 1.5 }),
  );

/**
 * @typedef {{ kind?: string, glyph?: string, [more: string]: any }} Look
 * @param {string} text
 * @param {(event: any) => any} run
 * @param {Look} [look]
 */
export function button(text, run, { kind = "", glyph, ...more } = {}) {
  return h("button", { class: `btn ${kind}`, click: run, ...more }, glyph && icon(glyph, 16), text);
}

/**
 * A link that looks like a button.
 * @param {string} text
 * @param {string} href
 * @param {Look} [look]
 */
export function link(text, href, { kind = "", glyph, ...more } = {}) {
  return h("a", { class: `btn ${kind}`, href, ...more }, glyph && icon(glyph, 16), text);
}

/** One of several, side by side. */
export function segments(label, options, chosen, choose) {
  return h(
    "div.seg",
    { role: "group", label },
    options.map(([id, text]) =>
      h("button", { pressed: id === chosen, key: `${label}-${id}`, click: () => choose(id) }, text),
    ),
  );
}

/** Draws again when the width of a screen has changed. */
export function onWidth(root, run) {
  let width = root.clientWidth;
  new ResizeObserver(([{ contentRect: now }]) => {
    if (!now.width || Math.abs(now.width - width) <= 2) return;
    ({ width } = now);
    run();
  }).observe(root);
}

/** Announces to screen readers what has changed. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

async function copied(text, from) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(from);
  }
}

/**
 * A button that copies a text, and says so for a moment.
 * @param {string} text
 * @param {() => any} from
 * @param {Look} [look]
 */
export function copier(text, from, { kind = "copy", glyph } = {}) {
  const words = h("span", "Copy");
  return h(
    "button",
    {
      class: kind,
      click: async () => {
        await copied(text, from());
        words.textContent = "Copied";
        say("Copied");
        setTimeout(() => {
          words.textContent = "Copy";
        }, 1400);
      },
    },
    glyph && icon(glyph, 16),
    words,
  );
}

/** Lines of code with a button that copies them. */
export function code(text, label = "Code") {
  const pre = h("pre", { tabindex: "0", role: "region", label }, h("code", text));
  return h(
    "div.code",
    pre,
    copier(text, () => pre),
  );
}
