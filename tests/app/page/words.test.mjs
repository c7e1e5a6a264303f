// Modules of the page without a page: numbers and dates as they are read, and answers as figures
// want them. Run by `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { certaintyOf, rowsOf, unpacked, viewOf } from "../../../src/peckorder/app/page/js/elo.js";
import * as words from "../../../src/peckorder/app/page/js/words.js";

test("numbers are written with thousands and a real minus", () => {
  assert.equal(words.number(1234.5, 1), "1,234.5");
  assert.equal(words.number(-3), "−3");
  assert.equal(words.number(null), "–");
  assert.equal(words.count(2.5), "2.5");
  assert.equal(words.plural(1, "dyad"), "1 dyad");
  assert.equal(words.plural(1000, "dyad"), "1,000 dyads");
});

test("days are those of the sheet in any time zone", () => {
  assert.equal(words.day(words.moment("2020-02-29")), "29 Feb 2020");
  assert.equal(words.iso(words.moment("2020-02-29 23:59:00")), "2020-02-29");
  assert.equal(words.span(words.moment("2020-01-01"), words.moment("2020-03-05")), "1 Jan – 5 Mar 2020");
});

test("blanks at the ends of a name are seen", () => {
  assert.equal(words.shownBlanks("Ella "), "Ella␣");
  assert.equal(words.cut("🦍".repeat(20), 4), "🦍🦍🦍…");
});

test("packed columns are lists again", () => {
  assert.deepEqual(unpacked({ values: ["a", "b"], codes: [1, null, 0] }), ["b", null, "a"]);
  assert.deepEqual(unpacked({ microseconds: 86400000000, steps: [0, 1], timed: false }), [
    "1970-01-01",
    "1970-01-02",
  ]);
  assert.deepEqual(rowsOf({ columns: { x: [1, 2] }, length: 2 }), [{ x: 1 }, { x: 2 }]);
});

test("ranks with intervals are by place, and absent ones are not known", () => {
  const found = certaintyOf({ who: [2, 0], rank: [1, 2], low: [1, 1], high: [2, 2], above: [0.9, null] }, 3);
  assert.deepEqual(found.rank, [2, null, 1]);
  assert.deepEqual(found.order, [2, 0]);
  assert.equal(certaintyOf({ why: "one contest" }, 3), null);
  assert.equal(certaintyOf(null, 3), null);
});

test("a panel without a picture keeps its reason, and the matrix its individuals", () => {
  const view = viewOf({
    names: ["a", "b"],
    ranking: { why: "All 2 contests are ties." },
    structure: { why: "ties" },
    matrix: { who: [0, 1], row: [], column: [], wins: [], ties: [[0, 1, 2]] },
    strip: { edges: [0, 1], number: [2] },
    window: { contests: 2 },
    contests: 2,
  });
  assert.equal(view.why.ranking, "All 2 contests are ties.");
  assert.deepEqual(view.order, [0, 1]);
  assert.deepEqual(view.drawn, [2, 2]);
  assert.deepEqual(view.won, [0, 0]);
  assert.deepEqual(view.structure.scores, []);
});
