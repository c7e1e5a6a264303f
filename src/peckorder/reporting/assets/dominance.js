// Figures of the same form as the others: who may hold which rank, and who dominates whom.

Object.assign(FIGURES, {
  rank_probabilities(drawing, view) {
    const names = drawing.options.order;
    const at = new Map(names.map((name, place) => [name, place]));
    const tall = names.length > 60 ? 11 : 17;
    const font = Math.min(12, tall - 2);
    const labels = shortened(names, view.narrow ? 10 : view.most);
    const top = names.length > 30;
    const side = room(labels, font) + 14;
    const written = names.length <= 12 && (view.width - side - 20) / names.length >= 26;
    const z = names.map(() => names.map(() => 0));
    const customdata = names.map(() => names.map(() => null));
    const text = names.map(() => names.map(() => ""));
    for (const { individual, rank, probability } of drawing.rows) {
      const y = at.get(individual);
      // Square roots, so that small probabilities, of which there are many, are seen.
      z[y][rank - 1] = Math.sqrt(probability);
      customdata[y][rank - 1] = [safe(individual), `rank ${rank}: ${share(probability)}`];
      if (probability >= 0.005) text[y][rank - 1] = probability.toFixed(2).replace(/^0/, "");
    }
    const most = Math.max(0.2, extent(drawing.rows.map((row) => row.probability))[1]);
    const ticks = [0, 0.05, 0.25, 0.5, 1].filter((tick) => tick <= most);
    const followed = at.get(view.who);
    const veil = (y0, y1) => ({ type: "rect", xref: "paper", x0: 0, x1: 1, y0, y1,
      fillcolor: "#ffffffb0", line: { width: 0 } });
    const shapes = followed === undefined ? [] : [
      veil(-0.5, followed - 0.5), veil(followed + 0.5, names.length - 0.5),
      { ...veil(followed - 0.5, followed + 0.5), fillcolor: "#ffffff00",
        line: { color: STRONG, width: 2.5 } },
    ];
    return {
      data: [{
        type: "heatmap", z, customdata, zmin: 0, zmax: Math.sqrt(most),
        x: names.map((_, place) => place + 1), y: names.map((_, place) => place),
        colorscale: [[0, "#fff"], [0.02, "#e9f2f8"], [0.5, "#5ba3d0"], [1, "#00456e"]],
        xgap: names.length <= 30 ? 1 : 0, ygap: names.length <= 30 ? 1 : 0,
        hovertemplate: "<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
        showscale: !written, colorbar: { thickness: 10, lenmode: "pixels", len: 180, y: 1,
          yanchor: "top", ypad: 0, outlinewidth: 0, tickvals: ticks.map(Math.sqrt),
          ticktext: ticks.map((tick) => percent(tick)) },
        ...(written ? { text, texttemplate: "%{text}", textfont: { size: 11 } } : {}),
      }],
      layout: layout(view, tall * names.length + 84, {
        shapes, plot_bgcolor: "#efefef",
        margin: { l: side, r: written ? 20 : 64, t: top ? 56 : 28, b: top ? 20 : 50 },
        xaxis: axis("Rank", { side: top ? "top" : "bottom", range: [0.5, names.length + 0.5],
          showgrid: false, fixedrange: true, ...whole(names.length) }),
        yaxis: nameAxis(labels, view.who, { size: font }),
      }),
    };
  },

  network(drawing, view) {
    const { places } = drawing.options;
    const at = new Map(places.map((place) => [place.individual, place]));
    const deep = 1 + extent(places.map((place) => place.row))[1];
    const font = view.narrow || places.length > 40 ? 10 : 12;
    const labels = shortened(places.map((place) => place.individual), view.narrow ? 8 : 18);
    const wide = room(labels, font) + 8;
    const [left, right] = [46, 12];
    const beside = wide / 2 / Math.max(60, view.width - left - right - wide);
    const edges = drawing.rows.filter((row) => row.drawn);
    const [low, high] = extent(edges.map((row) => row.net));
    const mine = (row) => row.dominant === view.who || row.subordinate === view.who;
    const strong = (row) => (mine(row) ? 1e9 : 0) + row.net;
    const paint = (row) => (row.upward ? STRONG : BLUE);
    const data = [...edges].sort((one, other) => strong(one) - strong(other)).map((row) => {
      const [one, other] = [at.get(row.dominant), at.get(row.subordinate)];
      const color = view.who === null || mine(row) ? paint(row) : FADED;
      const width = 0.8 + (3 * (row.net - low)) / Math.max(1, high - low);
      const text = safe(`dominates ${row.subordinate}: won ${said(row.wins)} of `
        + `${said(row.wins + row.losses)} decided contests`);
      return {
        x: [one.x, (one.x + other.x) / 2, other.x],
        y: [one.row, (one.row + other.row) / 2, other.row],
        mode: "lines+markers", showlegend: false, line: { color, width },
        opacity: mine(row) ? 1 : 0.6,
        marker: { symbol: "arrow", angleref: "previous", color, opacity: [0, 0, 1],
          size: [1, 1, 7 + 1.6 * width], standoff: [0, 0, 0.9 * font], line: { width: 0 } },
        customdata: Array(3).fill([safe(row.dominant), text]),
        hovertemplate: "<b>%{customdata[0]}</b> %{customdata[1]}<extra></extra>",
      };
    });
    for (const up of [false, true]) {
      const name = `${up ? "Lower" : "Higher"}-ranked dominates`;
      if (!edges.some((row) => row.upward === up)) continue;
      data.push({ x: [null], y: [null], mode: "lines", name, showlegend: true, hoverinfo: "skip",
        line: { color: up ? STRONG : BLUE, width: 2 } });
    }
    const first = new Map([...places].reverse().map(({ rank, row }) => [rank, row]));
    const every = Math.ceil(first.size / 40);
    const kept = [...first].sort(([one], [other]) => one - other)
      .filter((_, place) => place % every === 0);
    return {
      data,
      layout: layout(view, Math.max(320, (font + 11) * deep + 84), {
        margin: { l: left, r: right, t: 40, b: 20 }, showlegend: true,
        legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", itemclick: false,
          itemdoubleclick: false },
        xaxis: axis("", { range: [-beside, 1 + beside], showticklabels: false, showgrid: false,
          ticks: "", showline: false, fixedrange: true }),
        yaxis: axis("Rank", { range: [deep - 0.4, -0.6], showgrid: false, ticks: "",
          fixedrange: true, tickmode: "array", tickvals: kept.map(([, row]) => row),
          ticktext: kept.map(([rank]) => said(rank)) }),
        annotations: places.map(({ individual, x, row }) => label(individual, view, labels, {
          xref: "x", yref: "y", x, y: row, bgcolor: "#fff", borderwidth: 1, borderpad: 2,
          bordercolor: individual === view.who ? STRONG : "#999",
          font: { size: font, color: individual === view.who ? STRONG : "#333" },
        })),
      }),
    };
  },
});

/** A probability in percent, also where it is small. */
function share(probability) {
  if (probability < 0.0005) return "below 0.1%";
  return probability >= 0.01 ? percent(probability) : `${(100 * probability).toFixed(1)}%`;
}

