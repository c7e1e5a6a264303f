// Take away: the report, figures, tables, a methods paragraph, a script, and the work itself.
import { button, code, copier, h, icon, put, redraw, say } from "./dom.js";
import { nothing, provisional } from "./explore.js";
import { active, cancel, jobOf, start } from "./jobs.js";
import { Refused, get, latest, taken } from "./server.js";
import { state, trouble } from "./store.js";
import { percent } from "./words.js";

const SIZES = [
  ["85", "One column, 85 mm"],
  ["114", "One and a half, 114 mm"],
  ["174", "Two columns, 174 mm"],
  ["254", "Slide, 254 mm"],
];
const LETTERS = ["6", "7", "8", "10", "14"].map((size) => [size, `${size} points`]);
const COLORS = [
  ["usual", "safe for the color-blind"],
  ["gray", "shades of gray"],
];
const FORMATS = { pdf: "PDF", svg: "SVG", png: "PNG", csv: "CSV", xlsx: "Excel" };
const ORDER = Object.keys(FORMATS);

/** The name of a file: of the data in plain letters, the group, and what it is. */
function fileName(name) {
  const stem = state.record.name.replace(/\.[^.]*$/, "");
  const plain = [stem, groupOf() ?? ""].map((text) => text.replace(/[^A-Za-z0-9]+/g, "-"));
  return [...plain.map((text) => text.replace(/^-|-$/g, "")), name].filter(Boolean).join("-");
}

/** Saves what the server makes; the button says that it is being made. */
async function save(node, address, kind, name = fileName(kind)) {
  if (node.getAttribute("aria-busy") === "true") return;
  node.setAttribute("aria-busy", "true");
  try {
    const content = await taken(address, { w: state.workspace });
    const link = h("a", { href: URL.createObjectURL(content), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${name} was saved.`);
  } catch (error) {
    trouble(error);
  } finally {
    node.removeAttribute("aria-busy");
  }
}

const saver = (text, label, address, name, kind = "") => {
  const node = h(
    "button",
    { class: kind, label, key: `save-${name}`, click: () => save(node, address(), name) },
    text,
  );
  return node;
};

/** How figures are drawn, as the address of a file says it. */
const look = { mm: "85", pt: "7", colors: "usual", language: "English", title: "" };

function drawn(id, form) {
  const given = { ...look, follow: state.follow ?? "" };
  return `/take/figure/${id}.${form}?${new URLSearchParams(given)}`;
}

const frames = new Map(); // of figures by address, so that they are not fetched again
let drawing = Promise.resolve(); // one after the other: browsers have few connections

/** The figure itself, drawn as the files are. */
function frame(id, title) {
  const address = `${drawn(id, "png")}&w=${state.workspace}&rev=${state.rev}`;
  if (!frames.has(address)) {
    if (frames.size > 40) frames.clear();
    const picture = h("img", { alt: title });
    const box = h("div.frame.live", picture);
    frames.set(address, box);
    drawing = drawing.then(async () => {
      if (!box.isConnected) {
        frames.delete(address);
        return;
      }
      picture.src = address;
      await picture.decode().catch(() => put(box, icon("explore", 40)));
      box.classList.remove("live");
    });
  }
  return frames.get(address);
}

function figureCard({ id, title, formats }) {
  return h(
    "figure.card",
    frame(id, title),
    h(
      "figcaption",
      h("b", title),
      h(
        "span.formats",
        [...formats]
          .sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))
          .map((form) =>
            saver(
              FORMATS[form] ?? form,
              `${title} as ${FORMATS[form] ?? form}`,
              () => drawn(id, form),
              `${id}.${form}`,
            ),
          ),
      ),
    ),
  );
}

const tableRow = ({ id, title, formats }) =>
  h(
    "li",
    icon("data", 18),
    h("div.grow", h("b", title)),
    h(
      "span.formats",
      formats.map((form) =>
        saver(
          FORMATS[form],
          `${title} as ${FORMATS[form]}`,
          () => `/take/table/${id}.${form}`,
          `${id}.${form}`,
        ),
      ),
    ),
  );

const part = (title, text, ...more) =>
  h(
    "section.takes",
    { label: title },
    h("header", h("h2", null, title), text && h("p.soft", text)),
    ...more,
  );

/** The group that is shown, if each has its own ranking. */
const groupOf = () => (state.reading.groups.length > 1 ? state.settings.group : null);

let wanted = null; // the report that is saved as soon as it is written

const extras = () => ({
  bayes: Boolean(jobOf("bayes").done),
  recovery: Boolean(jobOf("enough").done),
});

async function saveReport(node, { every, ...more }) {
  const flags = Object.entries({ every, ...more })
    .filter(([, on]) => on)
    .map(([name]) => `${name}=1`)
    .join("&");
  const name = every ? "hierarchy-of-all-groups.zip" : "hierarchy.html";
  await save(node, `/take/report.html?${flags}`, name);
}

/** Writing a report takes a while: it is a job like the others. */
function reportButton() {
  const { job } = jobOf("report");
  if (active(job)) {
    const share = job.total ? job.done / job.total : 0;
    return h(
      "div.row",
      h(
        "span.bar.big",
        {
          role: "progressbar",
          label: "Writing the report",
          "aria-valuemin": 0,
          "aria-valuemax": 100,
          "aria-valuenow": Math.round(100 * share),
        },
        h("i", { css: { width: percent(share) } }),
      ),
      button(
        "Cancel",
        () => {
          wanted = null;
          cancel(job.job);
        },
        { glyph: "close", kind: "small", key: "report-cancel" },
      ),
      h("span.soft.small", "Writing the report. You can go on working."),
    );
  }
  const request = async (every) => {
    const chosen = { ...extras(), every };
    wanted = { job: await start("report", chosen), chosen };
  };
  const node = button("Save report (HTML)", () => request(false), {
    kind: "primary",
    glyph: "take",
    key: "report",
  });
  if (wanted && job?.job === wanted.job) {
    if (job.state === "done") {
      saveReport(node, wanted.chosen);
      wanted = null;
    }
    if (job.state === "failed") {
      wanted = null;
      trouble(new Refused(422, { error: job.text }));
    }
  }
  return h(
    "div.row",
    node,
    groupOf() !== null &&
      button("Report of all groups (zip)", () => request(true), { glyph: "take", key: "report-all" }),
  );
}

function hero() {
  const requested = (id) => Boolean(jobOf(id).done);
  const group = groupOf();
  const items = [
    ["Summary, data checks, ranking", true],
    [state.reading.ordered ? "Trajectories, win matrix, structure" : "Win matrix, structure", true],
    ["Rank intervals", true],
    ["Recovery (is this enough?)", requested("enough")],
  ];
  return h(
    "section.hero",
    { label: "Report" },
    h(
      "div",
      h("span.eyebrow.soft", "The whole analysis in one file"),
      h("h1", null, "Report"),
      provisional(),
      h(
        "p",
        group &&
          `About the group ${group}, as everything on this page; choose another one in Explore. `,
        "Opens in any browser without a network. Figures stay interactive, every number has its data, and the methods paragraph is included.",
      ),
      h(
        "ul.ticks",
        items.map(([text, on]) =>
          h(
            "li",
            { class: on ? "" : "no" },
            icon(on ? "check" : "note", 15),
            h(
              "span",
              text,
              !on && [", not requested yet. ", h("a", { href: "#/answer" }, "Answer")],
            ),
          ),
        ),
      ),
      reportButton(),
    ),
  );
}

export function mount(root) {
  if (!state.record || !state.reading.contests) {
    put(root, nothing("The report, figures, tables and the workspace are saved from here."));
    return (changed) => {
      if (changed.has("rev")) mount(root);
    };
  }
  let offered = null;
  const load = latest(
    (values) => get("/api/take", values),
    (answer) => {
      if (answer instanceof Refused) {
        trouble(answer);
        return;
      }
      offered = answer;
      render();
    },
  );
  const box = h("div.take");
  put(root, box);

  function figures() {
    const again = (name) => ({ target }) => {
      look[name] = target.value;
      render();
    };
    const menu = (name, label, options) =>
      h(
        "label",
        label,
        h(
          "select",
          { key: `look-${name}`, change: again(name) },
          options.map(([id, text]) => h("option", { value: id, selected: id === look[name] }, text)),
        ),
      );
    return part(
      "Figures",
      `PDF and SVG are drawn at the size of the journal, with embedded fonts.${state.follow ? ` ${state.follow} is highlighted in the ratings over time.` : ""}`,
      h(
        "div.row.controls",
        menu("mm", "Size ", SIZES),
        menu("pt", "Letters ", LETTERS),
        menu("colors", "Colors ", COLORS),
        menu("language", "Language ", offered.languages.map((name) => [name, name])),
        h(
          "label",
          "Title ",
          h("input", {
            type: "text",
            value: look.title,
            maxlength: 120,
            placeholder: "none",
            key: "look-title",
            change: again("title"),
          }),
        ),
      ),
      h("div.cards.figs", offered.figures.map(figureCard)),
    );
  }

  function methods() {
    const quote = h(
      "blockquote",
      offered.paragraph.split("\n\n").map((text) => h("p", text)),
    );
    return part(
      "Methods paragraph",
      "Every value is computed. Edit it to your style.",
      quote,
      h(
        "div.row",
        copier(offered.paragraph, () => quote, { kind: "btn small", glyph: "copy" }),
      ),
    );
  }

  function render() {
    if (!box.isConnected) return;
    redraw(box, () =>
      put(
        box,
        hero(),
        offered && [
          figures(),
          part(
            "Tables",
            "Names that look like formulas are written as text.",
            h("ul.files", offered.tables.map(tableRow)),
          ),
          methods(),
          part(
            "Script",
            "The same analysis without the app.",
            h("p.lab", "Shell"),
            code(offered.script.shell, "Shell"),
            h(
              "details.takecode",
              { key: "python" },
              h("summary", "Python"),
              code(offered.script.python, "Python"),
            ),
            Object.entries(offered.files ?? {}).map(([name, content]) => [
              h("p.lab", name),
              code(content, name),
            ]),
          ),
          part(
            "Workspace",
            "Data, decisions, settings and results in one file. Open it again with peckorder app work.zip, on any computer.",
            h(
              "div.row",
              button(
                "Save workspace",
                (event) => save(event.currentTarget, "/take/work.zip", "work.zip"),
                { glyph: "file", key: "work" },
              ),
              offered.joined &&
                button(
                  "Save the joined files (Excel)",
                  ({ currentTarget }) =>
                    save(currentTarget, "/take/joined.xlsx", "", offered.joined),
                  { glyph: "data", key: "joined" },
                ),
              h("span.soft.small", "contains your data"),
            ),
          ),
        ],
      ),
    );
  }
  load({ w: state.workspace });
  render();
  return (changed) => {
    if (changed.has("rev")) load({ w: state.workspace });
    if (["jobs", "follow"].some((name) => changed.has(name))) render();
  };
}
