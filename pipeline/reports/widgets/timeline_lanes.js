"use strict";
// What stays above the rows of a timeline: times, lanes of phases, iterations and counters.
tracemill.timelineLanes = (function () {
  const { xOf } = tracemill.timelineDraw;
  const TOP = 14, LOW = 9, TALL = 16, GAP = 2, MARKS = 3, LEAST = 36, SHOWN = 3;

  // Lanes have series of parts with begin and end; only counters have several, of processes or nodes.
  function build(data) {
    const lanes = [];
    const { edges, kinds } = data.phases;
    if (kinds.length > 1) {
      lanes.push({ key: "phases", label: "Phases", height: LOW, series: [between(edges)], isNumbered: true,
        numberOf: (at) => kinds[at], shadeOf: (at) => 0.15 * (1 + kinds[at] % 4), word: "Phase of kind" });
    }
    if (data.iterations.length) {
      lanes.push({ key: "iterations", label: "Iterations", height: LOW, series: [between(data.iterations)],
        isNumbered: true, numberOf: (at) => at, shadeOf: (at) => at % 2 ? 0.15 : 0.35, word: "Iteration" });
    }
    data.counters.forEach((counter, at) => {
      const all = counter.series.map((series) => extremesOf(series.value));
      const series = counter.series.map((each) => Object.assign({}, counter.bins[each.bins], each));
      lanes.push(Object.assign({}, counter, { key: "counter" + at, label: counter.name, height: TALL,
        isCounter: true, extremes: all, series }));
    });
    return lanes;
  }

  const between = (edges) => ({ begin: edges.slice(0, -1), end: edges.slice(1), part: "" });

  function extremesOf(values) {
    let [low, high] = [0, 0];
    for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
    return { low, high };
  }

  const isOpen = (scene, lane) =>
    !lane.isCounter || scene.lanes.filter((other) => other.isCounter).indexOf(lane) < SHOWN;

  // The lanes that are shown, from top to bottom, and the height of all that stays above the rows.
  function arrange(scene, view, look) {
    view.lanes = scene.lanes.filter((lane) => look.show[lane.key]);
    let top = TOP;
    view.laneTops = view.lanes.map((lane) => (top += lane.height + GAP) - lane.height - GAP);
    const counters = view.lanes.filter((lane) => lane.isCounter).length;
    view.head = Math.max(LEAST, top + (counters ? MARKS : 0));
    view.more = Math.max(counters - SHOWN, 0) * (TALL + GAP); // lanes that were asked for make it higher
  }

  // The series of the process or node of a row; else that of the run, or of the only part.
  function seriesOf(scene, lane, row) {
    if (lane.series.length < 2 || row === null) return 0;
    const { group, node, nodes } = scene.locations;
    const own = lane.series.findIndex((series) => row < scene.tree.count && (series.scope === "node"
      ? series.part === nodes[node[row]]
      : series.scope !== "group" && series.id === group[row]));
    return Math.max(own, 0);
  }

  function laneAt(view, y) {
    return view.lanes.findIndex((lane, at) => y >= view.laneTops[at] && y < view.laneTops[at] + lane.height);
  }

  // The part of a lane at a time, or null.
  function partAt(scene, view, look, lane, time) {
    const chosen = seriesOf(scene, view.lanes[lane], look.row);
    const { begin, end } = view.lanes[lane].series[chosen];
    const at = begin.findIndex((from, place) => from <= time && time < end[place]);
    return at < 0 ? null : part(view.lanes[lane], chosen, at);
  }

  function part(lane, series, at) {
    const { begin, end } = lane.series[series];
    return { kind: "lane", lane, series, at, begin: begin[at], end: end[at] };
  }

  // The next or previous part; first the one in the middle of what is seen.
  function beside(scene, view, look, lane, from, step) {
    if (from && from.lane === view.lanes[lane]) {
      const next = from.at + step;
      return next < 0 || next >= from.lane.series[from.series].begin.length ? from : part(from.lane, from.series, next);
    }
    return partAt(scene, view, look, lane, (view.begin + view.end) / 2);
  }

  function amount(value, unit) {
    const rounded = Number(value.toPrecision(4));
    const text = Math.abs(rounded) >= 1000 ? tracemill.formatCount(rounded) : String(rounded);
    return unit === "#" ? text : text + " " + unit;
  }

  // Pairs of what it is and its value.
  function describe({ lane, series, at, begin, end }, momentOf) {
    const when = [["from", momentOf(begin)], ["for", tracemill.formatTime(end - begin)]];
    if (!lane.isCounter) return [[lane.word, String(lane.numberOf(at))], ...when];
    const { part, value } = lane.series[series];
    return [["Counter", lane.label], [lane.isMean ? "mean of" : "of", part],
      ["", amount(value[at], lane.unit)], ...when];
  }

  function say(scene, view, look, lane) {
    const { label, series } = view.lanes[lane];
    const { begin, part } = series[seriesOf(scene, view.lanes[lane], look.row)];
    return [label, (part ? " of " + part : "") + ", lane " + (lane + 1) + " of " + view.lanes.length + ": "
      + begin.length + " parts; comma and period walk over them."];
  }

  // --- Drawing ---

  function draw(context, scene, view, look) {
    context.fillStyle = look.page;
    context.fillRect(view.left, 0, view.width, view.head);
    context.font = "9px system-ui, sans-serif";
    view.lanes.forEach((lane, at) => {
      const series = seriesOf(scene, lane, look.row);
      context.fillStyle = look.soft;
      if (lane.isNumbered) context.fillText(lane.label, 2, view.laneTops[at] + 5);
      context.save();
      context.beginPath();
      context.rect(view.left, view.laneTops[at], view.width, lane.height);
      context.clip();
      if (lane.isNumbered) drawNumbered(context, view, look, lane, view.laneTops[at]);
      else drawSteps(context, view, look, lane, series, view.laneTops[at]);
      context.restore();
      if (look.lane === at && look.hasFocus) outline(context, view, look, at);
    });
    drawChosen(context, view, look);
    drawTimes(context, scene, view, look);
  }

  function outline(context, view, look, at) {
    context.strokeStyle = look.ink;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeRect(view.left + 0.5, view.laneTops[at] - 0.5, view.width - 1, view.lanes[at].height + 1);
    context.setLineDash([]);
  }

  // Parts take turns in shades or have that of their kind, and their number.
  function drawNumbered(context, view, look, lane, top) {
    const { begin, end } = lane.series[0];
    for (let at = 0; at < begin.length && begin[at] < view.end; at++) {
      const x = Math.max(xOf(view, begin[at]), view.left);
      const width = Math.min(xOf(view, end[at]), view.left + view.width) - x;
      if (width <= 0) continue;
      context.globalAlpha = lane.shadeOf(at);
      context.fillRect(x, top, width, lane.height);
      context.globalAlpha = 1;
      if (width > 30) context.fillText(String(lane.numberOf(at)), x + 3, top + 5);
    }
  }

  // The values of a counter as steps above zero, with name and extremes at the left.
  function drawSteps(context, view, look, lane, series, top) {
    const { begin, end, value, part } = lane.series[series];
    const { low, high } = lane.extremes[series];
    const yOf = (amount) => top + lane.height - 1 - (amount - low) / (high - low || 1) * (lane.height - 2);
    context.fillStyle = look.accent;
    for (let at = 0; at < begin.length && begin[at] < view.end; at++) {
      const x = Math.max(Math.round(xOf(view, begin[at])), view.left);
      const width = Math.min(Math.round(xOf(view, end[at])), view.left + view.width) - x;
      if (width <= 0) continue;
      const y = yOf(value[at]);
      context.globalAlpha = 0.3;
      context.fillRect(x, Math.min(y, yOf(0)), width, Math.abs(yOf(0) - y));
      context.globalAlpha = 1;
      context.fillRect(x, y - 0.5, width, 1.2);
    }
    const text = tracemill.shorten(lane.label, 50) + (lane.series.length > 1 ? " of " + tracemill.shorten(part, 24) : "")
      + ": " + amount(low, "#") + " to " + amount(high, lane.unit);
    context.globalAlpha = 0.65;
    context.fillStyle = look.page;
    context.fillRect(view.left, top + 2, context.measureText(text).width + 6, lane.height - 4);
    context.globalAlpha = 1;
    context.fillStyle = look.ink;
    context.fillText(text, view.left + 3, top + lane.height / 2);
  }

  function drawChosen(context, view, look) {
    const chosen = look.chosen;
    const at = chosen && chosen.kind === "lane" ? view.lanes.indexOf(chosen.lane) : -1;
    if (at < 0) return;
    const x = Math.max(xOf(view, chosen.begin), view.left);
    const end = Math.min(xOf(view, chosen.end), view.left + view.width);
    context.strokeStyle = look.ink;
    context.lineWidth = 2;
    if (end > x) context.strokeRect(x, view.laneTops[at], Math.max(end - x, 2), chosen.lane.height);
  }

  function drawTimes(context, scene, view, look) {
    for (const window of scene.windows) {
      const x = Math.max(xOf(view, window.begin), view.left);
      const end = Math.min(xOf(view, window.end), view.left + view.width);
      context.fillStyle = look.accent;
      if (end > x) context.fillRect(x, view.head - 4, Math.max(end - x, 2), 3);
    }
    const step = niceStep((view.end - view.begin) / Math.max(view.width / 110, 1));
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = look.soft;
    const shift = scene.begin;
    for (let tick = Math.ceil((view.begin + shift) / step) * step; tick <= view.end + shift; tick += step) {
      const x = xOf(view, tick - shift);
      context.fillRect(x, 2, 1, 10);
      context.fillRect(x, view.head - 4, 1, 4);
      if (x + 70 < view.left + view.width) context.fillText(secondsOf(tick, step), x + 4, 8);
    }
  }

  function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  }

  function secondsOf(time, step) {
    return (time / 1e9).toFixed(Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9))) + " s";
  }

  return { build, arrange, isOpen, laneAt, partAt, beside, describe, say, draw };
})();
