// One function per kind of figure: from tidy rows and the view to traces and layout.

const FIGURES = {
  ranks(drawing, view) {
    const rows = [...drawing.rows].sort((one, other) => one.rank - other.rank);
    const names = rows.map((row) => row.individual);
    const at = new Map(names.map((name, place) => [name, place]));
    const data = [];
    for (const [part, color] of layers(rows, view.who)) {
      for (const [level, width] of [["", 1.5], ["80", 5]]) {
        if (!drawing.has(`rank_low${level}`)) continue;
        const ends = part.map((row) => {
          const y = at.get(row.individual);
          return [row[`rank_low${level}`], y, row[`rank_high${level}`], y];
        });
        data.push(strokes(ends, { color, width }));
      }
      data.push({
        x: part.map((row) => row.rank), y: part.map((row) => at.get(row.individual)),
        mode: "markers", marker: { color, size: 9, line: { color: "#fff", width: 1 } },
        ...tips(part, (row) =>
          `rank ${said(row.rank)}${between(row, "rank_low", "rank_high")}`),
      });
    }
    // Bars of overlapping groups are drawn side by side.
    const lanes = [];
    const groups = (drawing.options.groups ?? [])
      .filter((group) => group.some((name) => at.has(name)));
    const bars = groups.map((group) => {
      const [first, last] = extent(group.map((name) => at.get(name)));
      let lane = lanes.findIndex((end) => end < first);
      if (lane < 0) lane = lanes.length;
      lanes[lane] = last;
      const color = group.includes(view.who) ? STRONG : GRAY;
      return mark(8 + 8 * lane, first - 0.3, 8 + 8 * lane, last + 0.3, { color, width: 3 },
        { xref: "paper", xsizemode: "pixel", xanchor: 1 });
    });
    const top = names.length > 30;
    const labels = shortened(names, view.most);
    return {
      data,
      layout: layout(view, 17 * names.length + 84, {
        shapes: bars,
        margin: { l: room(labels) + 14, r: 20 + 8 * lanes.length, t: top ? 56 : 28,
          b: top ? 20 : 50 },
        xaxis: axis("Rank", { side: top ? "top" : "bottom", rangemode: "normal",
          ...whole(names.length) }),
        yaxis: nameAxis(labels, view.who, { showgrid: true }),
      }),
    };
  },

  trajectories(drawing, view) {
    const byName = grouped(drawing.rows, "individual");
    const names = inOrder(byName.keys());
    const over = drawing.options.x === "date" && drawing.has("date") ? "date" : "contest";
    const x = (row) => row[over];
    const time = timeline(drawing.rows.map(x));
    const levels = ["", "80"].filter((level) => drawing.has(`rating_low${level}`));
    const { steps } = drawing.options;
    const ribboned = names.length <= 6 && view.who === null ? names : [view.who];
    // Of many individuals those present at the date have names, and the highest ranks colors.
    const named = names.length > MANY ? drawing.options.named ?? null : null;
    const [data, ends, seen] = [[], [], []];
    const behind = (name) => (named === null ? 0 : -1 - [...named].reverse().indexOf(name));
    const order = [...names].sort((one, other) => behind(other) - behind(one));
    for (const name of front(order, view.who)) {
      const rows = byName.get(name);
      const stints = [...grouped(rows, "stint").values()];
      const look = drawn(name, view.who, named);
      if (ribboned.includes(name)) {
        for (const level of levels) {
          const [low, high] = [`rating_low${level}`, `rating_high${level}`];
          const outline = stints.flatMap(
            (stint) => [...ribbon(stint, x, low, high, steps), [null, null]]);
          data.push({
            x: outline.map(([first]) => first), y: outline.map(([, second]) => second),
            mode: "lines", line: { width: 0 }, fill: "toself", hoverinfo: "skip",
            fillcolor: `${look.color}${view.who === null ? "22" : "33"}`,
          });
          seen.push(rows.flatMap((row) => [row[low], row[high]]));
        }
      }
      const points = stints.flatMap((stint, place) => (place ? [null, ...stint] : stint));
      data.push({
        x: points.map((row) => row && x(row)), y: points.map((row) => row && row.rating),
        mode: "lines", line: { ...look, shape: steps ? "hv" : "linear" }, meta: [safe(name)],
        hovertemplate: "<b>%{meta[0]}</b><br>%{y:.4~g}<br>"
          + `${time.scale.type === "date" ? "" : `${over} `}%{x}<extra></extra>`,
      });
      seen.push(rows.map((row) => row.rating));
      const end = rows.findLast((row) => row.rating !== null);
      if (end) ends.push([name, end]);
    }
    const [first, last] = extent(drawing.rows.map((row) => time.number(x(row))));
    // Names stand beside the axes if a line ends there, so that no two leaders cross; on a narrow
    // screen all do, since they would cover each other inside.
    const late = ([, row]) => view.narrow
      || time.number(x(row)) >= last - 0.08 * (last - first);
    const worth = ([name]) => (name === view.who || named === null ? -1 : named.indexOf(name));
    const ending = ends.filter((end) => late(end)
      && (named === null || end[0] === view.who || named.includes(end[0])))
      .sort((one, other) => worth(one) - worth(other));
    const within = ends.filter((end) => !late(end)
      && (end[0] === view.who || (named === null && names.length <= MANY)));
    const crowded = named !== null && ending.length > CROWDED;
    const height = Math.max(view.narrow ? 380 : 460,
      crowded ? 560 : 15 * ending.length + 90);
    const [low, high] = extent(seen.flat());
    const pad = (high - low || 1) * 0.05;
    const scale = (high - low + 2 * pad) / (height - 78);
    // Of very many, the colored ones have a name, and others whose line ends where there is room.
    const free = apart(ending.map(([, row]) => row.rating / scale), 14, COLORS.length);
    const beside = crowded ? ending.filter((_, place) => free[place]) : ending;
    const edge = time.value(last + (last - first || time.least) * 0.02);
    const wanted = beside.map(([, row]) => (row.rating - low + pad) / scale);
    const places = spread(wanted, 14, 7, height - 85).map((place) => low - pad + place * scale);
    // Names of lines that end earlier, within the axes, are kept apart from their neighbors.
    const inside = within.map(([, row]) => (row.rating - low + pad) / scale);
    const when = within.map(([, row]) => (time.number(x(row)) - first) / (last - first || 1));
    within.forEach((end, place) => {
      const near = [...when.keys()].filter((other) => Math.abs(when[other] - when[place]) < 0.1);
      spread(near.map((other) => inside[other]), 14, 7, height - 85)
        .forEach((y, step) => { inside[near[step]] = y; });
    });
    const labels = shortened(names, view.narrow ? 12 : view.most);
    const right = beside.length ? room(new Map(beside.map(([name]) =>
      [name, labels.get(name)]))) + 12 : 20;
    return {
      data,
      layout: layout(view, height, {
        margin: { l: 62, r: right, t: 28, b: 50 },
        xaxis: axis(over === "date" ? "Date" : "Contest",
          { ...time.scale, range: [time.value(first), edge] }),
        yaxis: axis(safe(drawing.options.unit ?? "Rating"), { range: [low - pad, high + pad] }),
        annotations: [
          ...places.map((place, end) => label(beside[end][0], view, labels,
            { x: 1, xanchor: "left", xshift: 3, yref: "y", y: place }, named)),
          ...within.map(([name, row], place) => label(name, view, labels, { xref: "x", yref: "y",
            x: x(row), y: low - pad + inside[place] * scale, xanchor: "left", xshift: 2, bgcolor: "#ffffffb0" }, named)),
        ],
        shapes: places.map((place, end) => mark(
          x(beside[end][1]), beside[end][1].rating, edge, place,
          { color: drawn(beside[end][0], view.who, named).color, width: 0.6, dash: "1px,2px" })),
      }),
    };
  },

  matrix(drawing, view) {
    const none = drawing.options.unknown ?? "no decided contest";
    const count = (row) => (row.wins ?? 0) + (row.losses ?? 0);
    const upset = (row) => row.upset && row.wins > 0;
    const square = grid(drawing, view, 20, 16);
    const kinds = [
      { name: "Wins (stronger: more)", color: "#3a86bd", symbol: "square",
        scale: [[0, "#fff"], [0.02, "#d6e6f2"], [0.5, "#5ba3d0"], [1, "#00456e"]],
        belongs: (row) => !row.unknown && !upset(row) },
      { name: "Upsets (wins of the lower-ranked)", color: STRONG, symbol: "square",
        scale: [[0, "#fff"], [0.02, "#fbe3d1"], [0.5, "#ee9256"], [1, "#8f3b00"]],
        belongs: (row) => !row.unknown && upset(row) },
      { name: none[0].toUpperCase() + none.slice(1), color: "#999", symbol: "square-open",
        scale: [[0, "#fff"], [1, "#fff"]], belongs: (row) => row.unknown },
    ];
    // Square roots, so that a few frequent pairs do not make all others white.
    const most = Math.sqrt(Math.max(1, extent(drawing.rows.map((row) => row.wins))[1]));
    const data = kinds.map(({ scale, belongs }) => square.heatmap(
      belongs, (row) => Math.sqrt(row.wins ?? 0), { colorscale: scale, zmin: 0, zmax: most },
      (row, one, other) => (row.unknown ? `${none} between ${one} and ${other}`
        : `${one} ${row.wins ? "beat" : "did not beat"} ${other}: ${row.wins} of ${count(row)}`),
      (row) => (row.unknown ? "" : row.wins ?? "")));
    for (const { name, color, symbol, belongs } of kinds) {
      if (!drawing.rows.some(belongs)) continue;
      data.push({ x: [null], y: [null], mode: "markers", name, showlegend: true, hoverinfo: "skip",
        marker: { color, symbol, size: 11 } });
    }
    // One path for all boxes: one shape per cell would take seconds.
    const boxes = drawing.rows.filter((row) => row.unknown && row.row !== row.column)
      .map((row) => [square.at.get(row.column), square.at.get(row.row)])
      .filter(([x, y]) => x !== undefined && y !== undefined)
      .map(([x, y]) => `M${x - 0.36},${y - 0.36}H${x + 0.36}V${y + 0.36}H${x - 0.36}Z`).join("");
    // Many boxes must not obscure the wins.
    const edge = square.numbered ? { color: "#999", width: 1 } : { color: "#aaa", width: 0.6 };
    const shapes = boxes ? [{ type: "path", path: boxes, line: edge }] : [];
    return { data, layout: square.layout(shapes, true) };
  },

  chances(drawing, view) {
    const square = grid(drawing, view, 15, 64);
    const colors = [
      [0, "#b34700"], [0.25, "#f0a875"], [0.5, "#f7f7f7"], [0.75, "#6fb1dc"], [1, "#00588a"],
    ];
    const heatmap = square.heatmap(
      (row) => row.chance !== null, (row) => row.chance,
      { colorscale: colors, zmin: 0, zmax: 1, showscale: !square.numbered,
        colorbar: { thickness: 10, lenmode: "pixels", len: 200, y: 1, yanchor: "top", ypad: 0,
          tickformat: ".0%", outlinewidth: 0, tickvals: [0, 0.25, 0.5, 0.75, 1] } },
      (row, one, other) => `${one} beats ${other}: ${percent(row.chance)}`,
      (row) => Math.round(100 * row.chance));
    return { data: [heatmap], layout: square.layout([]) };
  },

  steepness(drawing, view) {
    const { options } = drawing;
    const rows = [...drawing.rows].sort((one, other) => one.rank - other.rank);
    const number = options.null ? 2 : 1;
    const columns = view.narrow ? 1 : number;
    const height = number > columns ? 640 : 380;
    const [left, right] = panels(number, columns, height);
    const data = [{
      x: rows.map((row) => row.rank), y: rows.map((row) => row.fitted), mode: "lines",
      line: { color: view.who === null ? STRONG : GRAY, width: 2 }, hoverinfo: "skip",
    }];
    for (const [part, color] of layers(rows, view.who)) {
      data.push({
        x: part.map((row) => row.rank), y: part.map((row) => row.normds), mode: "markers",
        marker: { color, size: 9, line: { color: "#fff", width: 1 } },
        ...tips(part, (row) => `rank ${said(row.rank)}, score ${said(row.normds)}`),
      });
    }
    const more = {
      xaxis: axis("Rank", { domain: left.x, anchor: "y", ...whole(2 * rows.length) }),
      yaxis: axis("Normalized David’s score", { domain: left.y, rangemode: "tozero" }),
      annotations: [note(`steepness ${said(options.value)}`, {
        x: left.x[1], y: left.y[1], xanchor: "right", yanchor: "top",
        font: { size: 12, color: "#555" },
      })],
    };
    if (options.null) {
      const { edges, counts } = options.null;
      const bins = counts.map((times, bin) => ({ low: edges[bin], high: edges[bin + 1], times }));
      data.push({
        type: "bar", x: bins.map((bin) => (bin.low + bin.high) / 2), y: counts,
        width: bins.map((bin) => bin.high - bin.low), xaxis: "x2", yaxis: "y2",
        marker: { color: "#b9c6cf", line: { color: "#fff", width: 0.5 } },
        ...tips(bins, (bin) => `${said(bin.low)} to ${said(bin.high)}: ${bin.times}`),
      });
      const highest = Math.max(...counts);
      const [low, high] = extent([...edges, options.observed]);
      more.xaxis2 = axis("Steepness under randomization", {
        domain: right.x, anchor: "y2",
        range: [low - 0.04 * (high - low), high + 0.04 * (high - low)],
      });
      more.yaxis2 = axis("Randomizations",
        { domain: right.y, anchor: "x2", range: [0, highest * 1.22] });
      more.shapes = [mark(options.observed, 0, options.observed, highest * 1.06,
        { color: STRONG, width: 2.5 }, { xref: "x2", yref: "y2" })];
      more.annotations.push(note(`observed ${said(options.observed)}`, {
        xref: "x2", yref: "y2", x: options.observed, y: highest * 1.06, yanchor: "bottom",
        xanchor: options.observed > (low + high) / 2 ? "right" : "left",
        font: { size: 12, color: "#a34700" },
      }));
    }
    return { data, layout: layout(view, height, more) };
  },

  shape(drawing, view) {
    const { rows } = drawing;
    const [first, last] = extent(rows.map((row) => row.rank_difference));
    const steps = rows.length <= (view.narrow ? 10 : 25);
    return {
      data: [{
        x: rows.map((row) => row.rank_difference), y: rows.map((row) => row.value),
        mode: steps ? "markers+text" : "markers", marker: { color: BLUE, size: 9 },
        text: rows.map((row) => `  ${row.contests}`), textposition: "bottom right",
        textfont: { size: 10, color: GRAY }, cliponaxis: false,
        error_y: reach(rows, "value", "low", "high"),
        ...tips(rows, (row) => `rank difference ${said(row.rank_difference)}: the higher-ranked `
          + `won ${percent(row.value)} of ${row.contests} contests`
          + (row.low === null ? "" : ` (95% interval ${percent(row.low)}–${percent(row.high)})`)),
      }],
      layout: layout(view, 380, {
        xaxis: axis("Rank difference",
          { range: [first - 0.6, last + 0.8], ...whole(last - first) }),
        yaxis: axis("Proportion won by the higher-ranked", { tickformat: ".0%",
          range: [Math.min(0.4, ...rows.map((row) => row.low ?? row.value)) - 0.04, 1.04] }),
        shapes: [mark(0, 0.5, 1, 0.5, { color: GRAY, width: 1.5, dash: "dash" },
          { xref: "paper", layer: "below" })],
      }),
    };
  },

  dominance_style(drawing, view) {
    const { rows } = drawing;
    const color = ({ group }) => ({ "this group": BLUE, "by chance": STRONG })[group] ?? GRAY;
    const symbol = ({ group, similar }) => ({ "this group": "diamond", "by chance": "cross" })[group]
      ?? (similar ? "circle" : "circle-open");
    return {
      data: [{
        x: rows.map((row) => row.linearity), y: rows.map((row) => row.steepness),
        mode: "markers+text", text: rows.map((row) => row.group),
        textposition: rows.map((row) => (row.linearity < 0.7 ? "top right" : "top left")),
        textfont: { size: 11, color: rows.map(color) },
        marker: { color: rows.map(color), symbol: rows.map(symbol), size: 9 },
        ...tips(rows, (row) => `${row.group}: h′ ${row.linearity.toFixed(2)}, `
          + `steepness ${row.steepness.toFixed(2)}`),
      }],
      layout: layout(view, 380, {
        xaxis: axis("Linearity h′", { range: [-0.03, 1.03] }),
        yaxis: axis("Steepness", { range: [-0.03, 1.03] }),
      }),
    };
  },

  compare(drawing, view) {
    const methods = [...grouped(drawing.rows, "method").keys()];
    const at = new Map(methods.map((method, place) => [method, place]));
    const byName = grouped(drawing.rows, "individual");
    const names = inOrder(byName.keys());
    const known = drawing.rows.filter((row) => row.rank !== null);
    const [first, last] = extent(known.map((row) => row.rank));
    const height = Math.max(320, 16 * names.length + 70);
    const lines = (method) => wrapped(method, view.narrow ? 7 : 14).split("<br>");
    const margin = { t: 26 + 15 * Math.max(...methods.map((method) => lines(method).length)), b: 20 };
    const inside = height - margin.t - margin.b;
    const range = [last + 0.5, first - 0.5];
    const scale = (last - first + 1) / inside;
    const labels = shortened(names, view.narrow ? 10 : 26);
    const outer = [methods[0], methods.at(-1)].map((method) => room(lines(method)) / 2 + 4);
    const side = Math.max(room(labels) + 14, ...outer);
    const named = names.length > MANY ? drawing.options.named ?? null : null;
    const back = named === null ? names : [...names].sort(
      (one, other) => named.includes(one) - named.includes(other));
    const data = front(back, view.who).map((name) => {
      const rows = byName.get(name);
      const look = drawn(name, view.who, named);
      return {
        x: rows.map((row) => at.get(row.method)), y: rows.map((row) => row.rank),
        mode: "lines+markers", line: look, cliponaxis: false,
        marker: { color: look.color, size: name === view.who ? 9 : 6 },
        ...tips(rows, (row) => `${row.method}: rank ${said(row.rank)}`),
      };
    });
    const annotations = [[methods[0], 0, "right", -7], [methods.at(-1), 1, "left", 7]].flatMap(
      ([method, x, xanchor, xshift]) => {
        const there = known.filter((row) => row.method === method);
        const wanted = there.map((row) => (row.rank - first + 0.5) / scale);
        const places = spread(wanted, 13, 4, inside - 4);
        return there.map((row, place) => label(row.individual, view, labels,
          { x, xanchor, xshift, yref: "y", y: first - 0.5 + places[place] * scale }, named));
      });
    return {
      data,
      layout: layout(view, height, {
        margin: { ...margin, l: side, r: side }, annotations,
        xaxis: axis("", { side: "top", fixedrange: true,
          range: [-0.01, Math.max(1, methods.length - 1) + 0.01], ticklabeloverflow: "allow",
          tickvals: methods.map((_, place) => place), ticks: "",
          ticktext: methods.map((method) => wrapped(method, view.narrow ? 7 : 14)),
          tickfont: { size: view.narrow ? 9 : 12 } }),
        yaxis: axis("", { range, showticklabels: false, showgrid: false, ticks: "" }),
      }),
    };
  },

  calibration(drawing, view) {
    const { rows } = drawing;
    const [low] = extent(rows.flatMap((row) => [row.predicted, row.observed_low, row.observed]));
    const least = Math.min(0.5, Math.floor(10 * low) / 10) - 0.02;
    const size = Math.min(view.width, 520);
    return {
      data: [{
        x: rows.map((row) => row.predicted), y: rows.map((row) => row.observed), mode: "markers",
        marker: { color: BLUE, size: 9 }, cliponaxis: false,
        error_y: reach(rows, "observed", "observed_low", "observed_high"),
        ...tips(rows, (row) => `predicted ${percent(row.predicted)}, `
          + `observed ${percent(row.observed)} (${row.contests} contests)`),
      }],
      layout: layout(view, size, {
        xaxis: axis("Predicted probability", { tickformat: ".0%", range: [least, 1.02] }),
        yaxis: axis("Observed proportion", { tickformat: ".0%", range: [least, 1.02] }),
        shapes: [mark(Math.max(0, least), Math.max(0, least), 1, 1,
          { color: GRAY, width: 1, dash: "dash" }, { layer: "below" })],
      }),
    };
  },

  likelihood(drawing, view) {
    const rows = drawing.rows.filter((row) => row.difference > -12);
    const [first, last] = extent(drawing.rows.map((row) => row.k));
    const marks = drawing.options.marks ?? [];
    return {
      data: [{
        x: rows.map((row) => row.k), y: rows.map((row) => row.difference), mode: "lines",
        line: { color: BLUE, width: 2 },
        ...tips(rows, (row) => `k ${said(row.k)}: ${said(row.difference)}`),
      }],
      layout: layout(view, 320, {
        xaxis: axis("k (points)", { range: [first, last] }),
        yaxis: axis("Log-likelihood (maximum = 0)", { range: [-9, 0.6] }),
        shapes: [
          mark(0, -1.92, 1, -1.92, { color: GRAY, width: 1, dash: "dash" }, { xref: "paper" }),
          ...marks.map(({ value }, place) => mark(value, 0, value, 1,
            { color: STRONG, width: 1.5, dash: DASHES[place] }, { yref: "paper" })),
        ],
        annotations: marks.map(({ name, value }, place) => note(`${name} ${Math.round(value)}`, {
          xref: "x", x: value, y: 0.16 - 0.07 * place, xanchor: value > 0.7 * last ? "right" : "left",
          yanchor: "bottom", xshift: value > 0.7 * last ? -3 : 3, bgcolor: "#ffffffd0",
        })),
      }),
    };
  },

  posterior(drawing, view) {
    const parameters = [...grouped(drawing.rows, "parameter")];
    const curves = grouped(drawing.rows, "curve");
    const signs = new Map([["sigma", "σ"], ["k_typical", "typical k"]]);
    const titles = shortened(parameters.map(([name]) => signs.get(name) ?? name), 36);
    const columns = Math.min(parameters.length, view.narrow ? 1 : 3);
    const deep = Math.ceil(parameters.length / columns);
    const height = 250 * deep + 78;
    const places = panels(parameters.length, columns, height, 0.07);
    const more = { margin: { l: 20, r: 20, t: 36, b: 50 }, showlegend: true,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", itemclick: false,
        itemdoubleclick: false } };
    const data = parameters.flatMap(([parameter, rows], panel) => {
      const [sign, title] = [...titles][panel];
      const [x, y] = [`x${nth(panel)}`, `y${nth(panel)}`];
      more[`xaxis${nth(panel)}`] = axis(safe(title),
        { domain: places[panel].x, anchor: y, nticks: 6 });
      more[`yaxis${nth(panel)}`] = axis("", { domain: places[panel].y, anchor: x,
        showticklabels: false, ticks: "", rangemode: "tozero", showgrid: false, fixedrange: true });
      return [...grouped(rows, "curve")].map(([curve, points]) => ({
        x: points.map((row) => row.value), y: points.map((row) => row.density), mode: "lines",
        xaxis: x, yaxis: y, name: curve,
        showlegend: curves.get(curve)[0].parameter === parameter, legendgroup: curve,
        ...(curve === "prior"
          ? { line: { color: GRAY, width: 1.5, dash: "dash" } }
          : { line: { color: BLUE, width: 2 }, fill: "tozeroy", fillcolor: `${BLUE}22` }),
        ...tips(points, (row) => `${sign} ${said(row.value)}`),
      }));
    });
    return { data, layout: layout(view, height, more) };
  },

  presence(drawing, view) {
    const names = inOrder(drawing.rows.map((row) => row.individual));
    const at = new Map(names.map((name, place) => [name, place]));
    const times = drawing.rows.flatMap((row) => [row.start, row.end]);
    const { scale, least, number, value } = timeline(times);
    const [first, last] = extent(times.map(number));
    // A missing start or end means presence from the first or until the last day.
    const start = (row) => number(row.start) ?? first;
    const end = (row) => number(row.end) ?? last;
    const data = layers(drawing.rows, view.who).map(([rows, color]) => ({
      type: "bar", orientation: "h", y: rows.map((row) => at.get(row.individual)),
      base: rows.map((row) => value(start(row))), x: rows.map((row) => end(row) - start(row)),
      // The outline keeps single days visible.
      width: 0.55, marker: { color, line: { color, width: 1.5 } },
      ...tips(rows, (row) => `${row.start ?? "start of study"} to ${row.end ?? "end of study"}`),
    }));
    const pad = (last - first || least) * 0.02;
    const top = names.length > 30;
    const labels = shortened(names, view.most);
    const dated = scale.type === "date" || drawing.options.x === "date";
    return {
      data,
      layout: layout(view, 17 * names.length + 84, {
        margin: { l: room(labels) + 14, r: 20, t: top ? 56 : 28, b: top ? 20 : 50 },
        barmode: "overlay",
        xaxis: axis(safe(drawing.options.title ?? (dated ? "Date" : "Contest")), {
          ...scale, side: top ? "top" : "bottom", range: [value(first - pad), value(last + pad)] }),
        yaxis: nameAxis(labels, view.who),
      }),
    };
  },

  recovery(drawing, view) {
    const { rows } = drawing;
    return {
      data: [{
        x: rows.map((row) => row.contest), y: rows.map((row) => row.rank_mae), mode: "lines",
        line: { color: BLUE, width: 2 },
        ...tips(rows, (row) =>
          `after ${said(row.contest)} contests: mean error ${said(row.rank_mae)} ranks`),
      }],
      layout: layout(view, 360, {
        xaxis: axis("Contests", { rangemode: "tozero" }),
        yaxis: axis("Mean absolute rank error", { rangemode: "tozero" }),
      }),
    };
  },

  summed_probability(drawing, view) {
    const { options } = drawing;
    const rows = [...drawing.rows].sort((one, other) => one.rank - other.rank);
    const [first, last] = extent(rows.map((row) => row.rank));
    const lines = (options.lines ?? []).map(([intercept, slope]) =>
      [first, intercept + slope * first, last, intercept + slope * last]);
    const thin = { color: view.who === null ? `${BLUE}22` : `${GRAY}22`, width: 1 };
    const data = [strokes(lines, thin)];
    for (const [part, color] of layers(rows, view.who)) {
      data.push({
        x: part.map((row) => row.rank), y: part.map((row) => row.score), mode: "markers",
        marker: { color, size: 9, line: { color: "#fff", width: 1 } },
        error_y: reach(part, "score", "score_low", "score_high", color),
        ...tips(part, (row) => `rank ${said(row.rank)}, score ${said(row.score)}`
          + between(row, "score_low", "score_high")),
      });
    }
    const text = `steepness ${said(options.value)}${between(options, "low", "high", "CrI")}`;
    return {
      data,
      layout: layout(view, 420, {
        xaxis: axis("Rank", whole(rows.length)),
        yaxis: axis("Summed winning probability"),
        annotations: [note(text, { x: 1, y: 1, xanchor: "right", yanchor: "top",
          font: { size: 12, color: "#555" } })],
      }),
    };
  },
};

/** The outline of a ribbon, in steps or not: along the top and back along the bottom. */
function ribbon(rows, x, low, high, steps) {
  const known = rows.filter((row) => row[low] !== null && row[high] !== null);
  const edge = (column) => known.flatMap((row, place) => (steps && place
    ? [[x(row), known[place - 1][column]], [x(row), row[column]]] : [[x(row), row[column]]]));
  const outline = [...edge(high), ...edge(low).reverse()];
  return outline.length ? [...outline, outline[0]] : [];
}

/** Shared by the heatmaps of all pairs. */
function grid(drawing, view, few, bar) {
  const names = drawing.options.order
    ?? inOrder(drawing.rows.flatMap((row) => [row.row, row.column]));
  const at = new Map(names.map((name, place) => [name, place]));
  const labels = shortened(names, view.narrow ? 10 : 26);
  const right = names.length > few ? bar : 16;
  // Small cells have small labels, which leaves more room for the cells.
  const fitting = (cell) => Math.max(7, Math.min(12, Math.floor(cell - 1)));
  const guess = fitting((view.width - 120) / names.length);
  const side = room(labels, guess) + 36;
  const cell = Math.min(36, (view.width - side - right) / names.length);
  const numbered = names.length <= few && cell >= 20;
  const size = cell * names.length;
  const font = Math.min(guess, fitting(cell));
  const every = Math.ceil((font + 1) / cell);
  const followed = at.get(view.who);
  const empty = (value = null) => names.map(() => names.map(() => value));

  function heatmap(belongs, value, colors, describe, written) {
    const [z, customdata, text] = [empty(), empty(), empty("")];
    for (const row of drawing.rows) {
      const [y, x] = [at.get(row.row), at.get(row.column)];
      if (y === undefined || x === undefined || x === y || !belongs(row)) continue;
      z[y][x] = value(row);
      const [one, other] = [safe(row.row), safe(row.column)];
      customdata[y][x] = [one, describe(row, `<b>${one}</b>`, `<b>${other}</b>`)];
      text[y][x] = String(written(row));
    }
    return {
      type: "heatmap", z, customdata, hoverongaps: false, showscale: false,
      x: names.map((_, place) => place), y: names.map((_, place) => place),
      xgap: cell > 9 ? 1 : 0, ygap: cell > 9 ? 1 : 0,
      hovertemplate: "%{customdata[1]}<extra></extra>",
      ...(numbered ? { text, texttemplate: "%{text}", textfont: { size: 11 } } : {}), ...colors,
    };
  }

  return {
    at, numbered, heatmap,
    layout(shapes, legend = false) {
      const edge = names.length - 0.5;
      if (followed !== undefined) {
        const [before, after] = [followed - 0.5, followed + 0.5];
        const veil = (x0, x1, y0, y1) => ({
          type: "rect", x0, x1, y0, y1, fillcolor: "#ffffffb0", line: { width: 0 },
        });
        const frame = (x0, x1, y0, y1) => ({
          type: "rect", x0, x1, y0, y1, line: { color: STRONG, width: 2.5 },
        });
        shapes = [
          ...shapes,
          veil(-0.5, before, -0.5, before), veil(after, edge, -0.5, before),
          veil(-0.5, before, after, edge), veil(after, edge, after, edge),
          frame(-0.5, edge, before, after), frame(before, after, -0.5, edge),
        ];
      }
      const margin = { l: side, t: side, b: legend ? 76 : 12 };
      margin.r = view.width - size - margin.l;
      return layout(view, size + margin.t + margin.b, {
        shapes, plot_bgcolor: "#efefef", margin, showlegend: legend,
        legend: { orientation: "h", x: 0, xanchor: "left", y: 0, yanchor: "top", itemclick: false,
          itemdoubleclick: false },
        xaxis: nameAxis(labels, view.who, { size: font, every, side: "top",
          tickangle: room(labels, font) < cell - 3 ? 0 : -90,
          range: [-0.5, edge], title: { text: "Loser", standoff: 4, font: { size: 12 } } }),
        yaxis: nameAxis(labels, view.who, { size: font, every,
          title: { text: "Winner", standoff: 4, font: { size: 12 } } }),
      });
    },
  };
}
