// Who beat whom: numbers in cells up to 60 individuals, colors on a canvas above.
import { h, s } from "../dom.js";
import { count, cut } from "../words.js";
import { frame, look, point, room, text, unpoint, zoom } from "./parts.js";

const MOST_CELLS = 60;

const saidOf = (names, wins, i, j) => {
  const met = wins(i, j) + wins(j, i);
  return met
    ? `beat ${cut(names[j], 40)} in ${count(wins(i, j))} of ${count(met)}`
    : `no contest with ${cut(names[j], 40)}`;
};

function cells(width, { names, wins, order, follow, pick, most }) {
  const z = zoom();
  const n = order.length;
  const labels = names.map((name) => cut(name, 10));
  const side =
    room(
      order.map((i) => names[i]),
      10,
    ) + 12;
  const cell = Math.min(38 * z, (width - side - 4) / n);
  const box = (r, c) => ({
    x: side + c * cell + 0.5,
    y: side + r * cell + 0.5,
    width: cell - 1,
    height: cell - 1,
  });
  const size = Math.min(12 * z, cell + 1);
  return frame(
    width,
    side + cell * n + 6,
    `Win matrix of ${n} individuals: winners in rows, losers in columns`,
    order.flatMap((i, r) => [
      text(side - 8, side + (r + 0.5) * cell + 4, labels[i], {
        class: `name end ${look(i, follow)}`,
        css: { "font-size": `${size}px` },
        click: () => pick(i),
      }),
      s(
        "text",
        {
          transform: `translate(${side + (r + 0.5) * cell + 4},${side - 8}) rotate(-90)`,
          class: `name ${look(i, follow)}`,
          css: { "font-size": `${size}px` },
          click: () => pick(i),
        },
        labels[i],
      ),
      order.map((j, c) => {
        if (i === j) return s("rect.self", box(r, c));
        const value = wins(i, j);
        const met = value + wins(j, i) > 0;
        const weight = Math.sqrt(value) / most;
        const dim = follow !== null && i !== follow && j !== follow ? "dim" : "";
        const kind = met ? (r > c && value > 0 ? "upset" : "won") : "unknown";
        return [
          s("rect", {
            ...box(r, c),
            rx: 1.5,
            class: `cell ${kind} ${dim}`,
            "fill-opacity": value ? 0.14 + 0.86 * weight : 0,
            pointermove: (event) => point(event, names[i], saidOf(names, wins, i, j)),
            pointerleave: unpoint,
          }),
          cell >= 17 &&
            value > 0 &&
            text(side + (c + 0.5) * cell, side + (r + 0.5) * cell + 4, count(value), {
              class: `count mid ${weight > 0.5 ? "on" : ""} ${dim}`,
            }),
        ];
      }),
    ]),
  );
}

/** The color of a token as red, green and blue. */
function shade(name) {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
  pen.fillRect(0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data;
}

/** One pixel per cell; the browser enlarges it. */
function pixels({ wins, order, follow, most }) {
  const n = order.length;
  const [paper, won, upset, self] = ["--panel", "--cell", "--upset", "--sunk"].map(shade);
  const small = document.createElement("canvas");
  [small.width, small.height] = [n, n];
  const pen = small.getContext("2d");
  const image = pen.createImageData(n, n);
  order.forEach((i, r) =>
    order.forEach((j, c) => {
      const value = i === j ? 0 : wins(i, j);
      let share = i === j ? 1 : value ? 0.18 + (0.82 * Math.sqrt(value)) / most : 0;
      if (i !== j && follow !== null && i !== follow && j !== follow) share *= 0.3;
      const ink = i === j ? self : r > c ? upset : won;
      const at = 4 * (r * n + c);
      for (let channel = 0; channel < 3; channel += 1)
        image.data[at + channel] = paper[channel] + share * (ink[channel] - paper[channel]);
      image.data[at + 3] = 255;
    }),
  );
  pen.putImageData(image, 0, 0);
  return small;
}

function canvas(width, { names, wins, order, follow, pick, most }) {
  const n = order.length;
  const side = Math.min(width, 640);
  const sharp = devicePixelRatio || 1;
  const sheet = h("canvas.matrix-canvas", {
    width: Math.round(side * sharp),
    height: Math.round(side * sharp),
    role: "img",
    label: `Win matrix of ${n} individuals: winners in rows, losers in columns`,
    css: { width: `${side}px`, height: `${side}px` },
  });
  const pen = sheet.getContext("2d");
  pen.imageSmoothingEnabled = side * sharp < 2 * n;
  pen.drawImage(pixels({ wins, order, follow, most }), 0, 0, sheet.width, sheet.height);
  const marked = order.indexOf(follow);
  if (marked >= 0) {
    const cell = sheet.width / n;
    pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--strong");
    pen.lineWidth = 1.5 * sharp;
    pen.strokeRect(1, marked * cell, sheet.width - 2, cell);
    pen.strokeRect(marked * cell, 1, cell, sheet.height - 2);
  }
  const under = (event) => {
    const box = sheet.getBoundingClientRect();
    return [event.clientY - box.top, event.clientX - box.left].map(
      (at) => order[Math.floor((at / box.width) * n)],
    );
  };
  sheet.addEventListener("pointermove", (event) => {
    const [i, j] = under(event);
    if (i === undefined || j === undefined || i === j) unpoint();
    else point(event, names[i], saidOf(names, wins, i, j));
  });
  sheet.addEventListener("pointerleave", unpoint);
  sheet.addEventListener("click", (event) => {
    const [i] = under(event);
    if (i !== undefined) pick(i);
  });
  return sheet;
}

/** order: places of the individuals from the first rank to the last. */
export function matrix(width, { names, wins, order, follow = null, pick = (_) => {} }) {
  let most = 1;
  for (const i of order) for (const j of order) most = Math.max(most, wins(i, j));
  const given = { names, wins, order, follow, pick, most: Math.sqrt(most) };
  return order.length > MOST_CELLS ? canvas(width, given) : cells(width, given);
}

/** The same as a table, for readers who do not see the figure; at most so many rows. */
export function matrixRows({ names, wins, order }, most) {
  const rows = [];
  for (const i of order) {
    for (const j of order) {
      if (i !== j && wins(i, j) > 0) rows.push([names[i], names[j], count(wins(i, j))]);
      if (rows.length >= most) return rows;
    }
  }
  return rows;
}
