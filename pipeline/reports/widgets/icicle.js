"use strict";
// The call tree to scale: callees below their callers, as wide as their time. Zoomed by clicking.
tracemill.widgets.icicle = function (stage, data) {
  const ROW = 21;
  const LEAST = 0.4; // narrower ones, in pixels, are not drawn,
  const LEAST_HIT = 2; // but what is searched for is always seen
  const { element, selection, filter, formatTime, formatShare } = tracemill;
  const { metrics, paths, system } = data;
  const parents = paths.parent;
  const cells = tracemill.makeCells(data, { isRegionKept: true });
  const timeMetrics = belowTime();
  const depths = findDepths();
  const children = listChildren();
  let own, all, starts, whole; // times in ns, and where nodes begin on the same scale
  let zoomed = null; // a node that fills the width, null: all
  let focus = null;
  let hits = null;

  // --- Layout ---

  function belowTime() {
    const time = metrics.findIndex((each) => each.name === "time");
    if (time < 0) return [];
    const marks = cells.markBelow(time, metrics.map((each) => each.parent), true);
    return Array.from(marks.keys()).filter((at) => marks[at]);
  }

  function findDepths() {
    const found = new Int32Array(parents.length);
    parents.forEach((parent, at) => { found[at] = parent < 0 ? 0 : found[parent] + 1; });
    return found;
  }

  function listChildren() {
    const found = new Map([[-1, []]]);
    parents.forEach((parent, at) => {
      if (!found.has(parent)) found.set(parent, []);
      found.get(parent).push(at);
    });
    return found;
  }

  function recount() {
    cells.refilter();
    const place = selection.get("place");
    own = cells.byPath(timeMetrics, place === null ? null : cells.locationsOf(place));
    all = cells.addUp(own, parents);
    starts = new Float64Array(parents.length);
    const filled = new Map();
    whole = 0;
    parents.forEach((parent, at) => {
      const begin = filled.has(parent) ? filled.get(parent) : parent < 0 ? 0 : starts[parent];
      starts[at] = begin;
      filled.set(parent, begin + all[at]);
      if (parent < 0) whole += all[at];
    });
    findHits();
  }

  function findHits() {
    const sought = filter.get("region").trim();
    const isHit = sought ? paths.regions.map(tracemill.passing("region")) : null;
    hits = isHit && Uint8Array.from(paths.region, (region) => (isHit[region] ? 1 : 0));
  }

  // Time in what was found, each counted once even if it lies inside another.
  function timeOfHits() {
    const inside = new Uint8Array(parents.length);
    let sum = 0;
    parents.forEach((parent, at) => {
      inside[at] = hits[at] || (parent >= 0 && inside[parent]) ? 1 : 0;
      if (inside[at]) sum += own[at];
    });
    return sum;
  }

  // Left and right edge in pixels.
  function edges(node) {
    const begin = zoomed === null ? 0 : starts[zoomed];
    const scale = canvas.clientWidth / ((zoomed === null ? whole : all[zoomed]) || 1);
    const left = (starts[node] - begin) * scale;
    return [Math.max(0, left), Math.min(canvas.clientWidth, left + all[node] * scale)];
  }

  // --- Drawing ---

  function draw() {
    const context = fit();
    const colors = paths.styles.map((style) => tracemill.color("--" + style));
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let at = 0; at < parents.length; at++) {
      const [left, right] = edges(at);
      if (right - left >= LEAST) drawNode(context, at, left, right, colors);
    }
    if (hits) drawSmallHits(context, colors);
    if (focus !== null) drawFocus(context);
  }

  function drawNode(context, at, left, right, colors) {
    const top = depths[at] * ROW;
    const color = colors[paths.part[at]];
    const alpha = hits && !hits[at] ? 0.22 : 1;
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.fillRect(left, top, Math.max(LEAST, right - left - 0.6), ROW - 1);
    context.globalAlpha = 1;
    if (right - left > 34) {
      context.fillStyle = tracemill.inkOn(tracemill.mix(tracemill.color("--page"), color, alpha));
      const letters = Math.floor((right - left - 8) / 6.6);
      context.fillText(tracemill.shorten(paths.shown[paths.region[at]], letters), left + 4, top + ROW / 2);
    }
  }

  function drawSmallHits(context, colors) {
    hits.forEach((isHit, at) => {
      const [left, right] = edges(at);
      if (!isHit || !all[at] || right < left || right - left >= LEAST_HIT) return;
      context.fillStyle = colors[paths.part[at]];
      context.fillRect(Math.min(left, canvas.clientWidth - LEAST_HIT), depths[at] * ROW, LEAST_HIT, ROW - 1);
    });
  }

  function drawFocus(context) {
    const [left, right] = edges(focus);
    context.strokeStyle = tracemill.color("--ink");
    context.lineWidth = 2;
    context.strokeRect(left + 1, depths[focus] * ROW + 1, Math.max(2, right - left - 2), ROW - 3);
  }

  // The canvas in the screen's own pixels, cleared.
  function fit() {
    const ratio = window.devicePixelRatio || 1;
    const levels = Math.min(60, deepestShown() + 1);
    canvas.style.height = levels * ROW + "px";
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(levels * ROW * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    return context;
  }

  function deepestShown() {
    let deepest = 0;
    for (let at = 0; at < parents.length; at++) if (all[at] > 0) deepest = Math.max(deepest, depths[at]);
    return deepest;
  }

  // --- Choosing ---

  function nodeAt(event) {
    const depth = Math.floor(event.offsetY / ROW);
    for (let at = 0; at < parents.length; at++) {
      if (depths[at] !== depth) continue;
      const [left, right] = edges(at);
      if (right - left >= LEAST && left <= event.offsetX && event.offsetX < right) return at;
    }
    return null;
  }

  function zoom(node) {
    zoomed = node;
    focus = node === null ? focus : node;
    selection.set({
      callPath: node === null ? null : paths.id[node],
      region: node === null ? null : paths.regionIds[paths.region[node]],
    });
    draw();
    say(focus);
  }

  function move(node) {
    if (node === undefined || node === null || node < 0) return;
    focus = node;
    draw();
    say(node);
  }

  const shownBelow = (node) => (children.get(node) || []).filter((child) => all[child] > 0);

  function sibling(step) {
    const row = shownBelow(parents[focus]);
    return row[row.indexOf(focus) + step];
  }

  const KEYS = {
    ArrowDown: () => move(shownBelow(focus).sort((a, b) => all[b] - all[a])[0]),
    ArrowUp: () => move(parents[focus]),
    ArrowLeft: () => move(sibling(-1)),
    ArrowRight: () => move(sibling(1)),
    Enter: () => zoom(focus),
    "+": () => zoom(focus),
    "-": () => zoom(zoomed === null || parents[zoomed] < 0 ? null : parents[zoomed]),
    Escape: () => zoom(null),
  };

  function onKey(event) {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (focus === null) move(shownBelow(-1)[0]);
    else KEYS[event.key]();
  }

  // --- Words ---

  function say(node) {
    if (node === null) {
      status.replaceChildren(`${formatTime(whole)} in total${hits ? "; " + describeHits() : ""}.`);
    } else status.replaceChildren(...inWords(node));
  }

  // What the mouse points at, beside it: the status is for what was chosen.
  function hover(event) {
    const node = nodeAt(event);
    tip.hidden = node === null;
    if (node === null) return;
    tip.replaceChildren(...inWords(node));
    tracemill.placeTip(tip, event.clientX, event.clientY);
  }

  function inWords(node) {
    const source = paths.sources[paths.region[node]];
    return [
      element("strong", null, tracemill.nameElement(paths.regions[paths.region[node]], 120)),
      `: ${formatTime(all[node])}, ${formatShare(all[node] / (whole || 1))}; ` +
      `${formatTime(own[node])} itself, ${paths.parts[paths.part[node]]}. `,
      element("span", { class: "meaning" }, source ? tracemill.nameElement(source, 120) : ""),
    ];
  }

  function describeHits() {
    if (!hits.some(Boolean)) return "no matches";
    const time = timeOfHits();
    return `in matches: ${formatTime(time)}, ${formatShare(time / (whole || 1))}`;
  }

  function legend() {
    const used = new Set();
    own.forEach((time, at) => { if (time > 0) used.add(paths.part[at]); });
    return element("ul", { class: "legend" }, ...Array.from(used).sort((a, b) => a - b).map((part) =>
      element("li", null, element("span", { class: paths.styles[part], "aria-hidden": "true" }), paths.parts[part])));
  }

  function placePicker() {
    const options = system.names.map((name, node) =>
      element("option", { value: node }, tracemill.shorten("\u00a0\u00a0".repeat(level(node)) + name, 60)));
    return element("select", {
      id: "icicle-of",
      change: (event) => selection.set({ place: event.target.value === "" ? null : Number(event.target.value) }),
    }, element("option", { value: "" }, "all processes"), ...options);
  }

  function level(node) {
    let count = 0;
    for (let above = system.parent[node]; above >= 0; above = system.parent[above]) count++;
    return count;
  }

  const picker = placePicker();
  const status = element("p", { class: "status", role: "status" });
  const tip = element("p", { class: "tip", hidden: true, "aria-hidden": "true" });
  const canvas = element("canvas", {
    class: "icicle", tabindex: "0", role: "application",
    "aria-label": "Call tree to scale. Arrow keys: callers, callees and neighbors. Enter: zoom. Escape: show all.",
    keydown: onKey,
    click: (event) => { const node = nodeAt(event); if (node !== null) zoom(node === zoomed ? null : node); },
    pointermove: hover,
    pointerleave: () => { tip.hidden = true; },
    focus: () => draw(),
  });
  stage.append(
    element("p", { class: "toolbar" }, element("label", { for: "icicle-of" }, "Of"), picker,
      element("button", { type: "button", click: () => { focus = null; zoom(null); } }, "Show all"),
      element("span", { class: "hint" }, "Click or Enter: zoom. Escape: show all.")),
    canvas, tip, status);

  recount();
  stage.append(legend());
  say(null);
  new ResizeObserver(draw).observe(stage);
  tracemill.onColors(draw);
  filter.subscribe(() => { recount(); draw(); say(null); });
  selection.subscribe((changed) => {
    if (changed.includes("place")) {
      picker.value = selection.get("place") === null ? "" : String(selection.get("place"));
      recount();
    }
    if (changed.includes("callPath")) focus = placeOf(selection.get("callPath"));
    draw();
    say(focus);
  });

  function placeOf(id) {
    const at = id === null ? -1 : paths.id.indexOf(id);
    return at < 0 ? null : at;
  }
};
