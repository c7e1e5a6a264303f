// The guided tours by name. Their stops and the result of the paper at the end come from the server.

export const TOURS = [
  { id: "adv", title: "First steps", text: "33 contests, 7 individuals" },
  { id: "takeover", title: "A takeover", text: "simulated: a newcomer at the top" },
  { id: "bonobos", title: "From a matrix", text: "bonobos, in a random order" },
  { id: "season", title: "A season", text: "simulated games with home advantage" },
];

export const OWN = {
  id: "own",
  title: "Your data",
  text: "the open file, one group",
  stops: [[1, "Your own contests, one by one. Change k to see what it does."]],
};
