// The guided tours: what is said at which contest, and the table or figure of the paper at the end.

const ADV = "Albers & de Vries 2001, Animal Behaviour 61:489–495, Figure 1";
const BONOBOS = "de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592, Table 2";
const CHAPTER = "Langville & Meyer 2012, Who’s #1?, chapter 5";
const NEUMANN = "Neumann et al. 2011, Animal Behaviour 82:911–921";

export const TOURS = [
  {
    id: "adv", title: "First steps", text: "33 contests, 7 individuals", settings: { k: 200 },
    stops: [
      [1, "All start at 1,000, so the first result is a coin toss: the expected score is 0.5, and the winner takes half of k from the loser."],
      [2, "c beats g. c has lost once and g has not played, so that c was expected to lose: many points move."],
      [15, "f beats g although g had the higher rating. A win against the odds moves more points."],
      [24, "c beats g again, as in contest 2. By now everybody expects it, and hardly a point moves."],
      [33, "The end of the record. The order is b, c, d, f, e, g, a."],
    ],
    end: {
      kind: "ratings", source: ADV, title: "Figure 1 of the paper",
      words: "The lines above are those of Figure 1. The paper reads expected scores from a printed table with two decimals; its final ratings with that table stand beside ours, which use the logistic curve.",
      head: "With the paper’s table", published: { b: 1320, c: 1184, d: 1178, f: 1048, e: 1008, g: 732, a: 530 },
    },
  },
  {
    id: "takeover", title: "A takeover", text: "simulated: a newcomer at the top", settings: { k: 100 },
    stops: [
      [1, "Simulated males. One of them begins near the bottom."],
      [[0.45], "From about here one line rises: its male now wins most of his contests."],
      [[1], "A matrix of all wins hides the change; the sequence shows it."],
    ],
    end: {
      kind: "orders", source: NEUMANN, title: "Why the sequence matters",
      words: "Neumann et al. argue that matrix methods average over a change of ranks, while Elo ratings follow it. The last ratings and David’s scores of all contests, side by side:",
    },
  },
  {
    id: "bonobos", title: "From a matrix", text: "bonobos, in a random order", settings: { k: 100 },
    stops: [
      [1, "A matrix has no dates. Elo needs an order, so one was drawn at random."],
      [[0.3], "Another order would give other ratings. That is why randomized Elo repeats this many times."],
      [[1], "David’s scores do not depend on the order, and neither does steepness."],
    ],
    end: {
      kind: "scores", source: BONOBOS, title: "Table 2 of the paper", head: "Printed",
      words: "Normalized David’s scores from dyadic dominance indices corrected for chance (Dij). The paper prints a steepness of 0.63.",
      published: { He: 4.57, Dz: 4.38, Ho: 4.06, De: 3.12, Ko: 1.96, Re: 1.74, Ki: 1.17 },
    },
  },
  {
    id: "season", title: "A season", text: "simulated games with home advantage", settings: { k: 32, home: 30 },
    stops: [
      [1, "The home side gets some points before the expected score is read off."],
      [[0.4], "A win away moves more points than the same win at home."],
      [[1], "The end of the season."],
    ],
    end: {
      kind: "predicted", source: CHAPTER, title: "How many winners were foreseen?",
      words: "The book rates the NFL season of 2009 with k = 32 and predicts each game from the ratings before it. Its count, and that of this simulated season:",
      published: [166, 267],
    },
  },
];

export const OWN = {
  id: "own", title: "Your data", text: "the open file, one group", settings: null,
  stops: [[1, "Your own contests, one by one. Change k to see what it does."]], end: null,
};

/** Stops with contest numbers; a list such as [0.4] is a share of the way. */
export function stopsOf(tour, most) {
  return tour.stops.map(([at, words]) => [
    Math.min(most, Array.isArray(at) ? Math.max(1, Math.round(at[0] * most)) : at), words]);
}
