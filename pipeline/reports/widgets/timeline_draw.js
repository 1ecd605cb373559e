"use strict";
// Draws what is visible of a timeline on a canvas: only rows in view, only what has pixels.
tracemill.timelineDraw = (function () {
  const COLUMN = 4; // pixels that narrow stretches of the critical path share
  const RULER = 36;
  const LANE = 11;
  const LETTERS = 13;
  const STRIP = 5;
  const MOST_HEADS = 400;

  // The finest bins of which no more than some share a pixel, else the coarsest.
  function chooseLevel(scene, view) {
    const perPixel = (view.end - view.begin) / view.width;
    const fitting = scene.levels.filter((level) => level.width >= perPixel * 0.4);
    return fitting.length ? fitting[fitting.length - 1] : scene.levels[0];
  }

  function draw(context, scene, view, look) {
    context.save();
    context.clearRect(0, 0, view.left + view.width, view.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(view.left, RULER, view.width, view.height - RULER);
    context.clip();
    const details = visibleWindows(scene, view);
    drawBins(context, scene, view, look);
    for (const window of details) drawDetail(context, scene, view, look, window);
    if (look.show.waits) drawWaits(context, scene, view, look, details);
    for (const window of details) {
      eachRow(view, (row, place) => writeNames(context, scene, view, look, window, row, place));
      if (look.show.collectives) drawBands(context, view, look, window);
      if (look.show.messages) drawMessages(context, view, look, window);
    }
    if (look.show.path) drawPath(context, scene, view, look);
    drawChosen(context, view, look);
    context.restore();
    drawLabels(context, scene, view, look);
    drawRuler(context, scene, view, look);
    context.restore();
  }

  // Windows whose visits are told apart on the screen: a few pixels each on average.
  function visibleWindows(scene, view) {
    const perPixel = (view.end - view.begin) / view.width;
    return scene.windows.filter((window) => window.begin < view.end && window.end > view.begin
      && (window.end - window.begin) / perPixel > Math.min(200, view.width / 4));
  }

  function eachRow(view, take) {
    const first = Math.max(0, Math.floor(view.top / view.rowHeight));
    const last = Math.ceil((view.top + view.height - RULER) / view.rowHeight);
    for (let place = first; place < Math.min(last, view.rows.length); place++) {
      take(view.rows[place], place);
    }
  }

  const xOf = (view, time) => view.left + (time - view.begin) / (view.end - view.begin) * view.width;
  const yOf = (view, place) => RULER + place * view.rowHeight - view.top;
  const barOf = (view) => view.rowHeight - (view.rowHeight > 8 ? 2 : 0);

  // Rows and columns are painted a pixel each and then stretched, which costs the same for any run.
  function drawBins(context, scene, view, look) {
    const level = chooseLevel(scene, view);
    const rows = rowsInView(view);
    const width = Math.floor(view.width);
    if (!level || !rows.count || width < 1) return;
    const image = new ImageData(width, rows.count);
    const pixels = new Uint32Array(image.data.buffer);
    const bins = binsOfColumns(level, view, width);
    for (let at = 0; at < rows.count; at++) {
      const from = view.rows[rows.first + at] * level.count;
      for (let x = 0; x < width; x++) {
        const region = bins[x] < 0 ? 0 : level.region[from + bins[x]];
        if (region) pixels[at * width + x] = look.shades[(region - 1) * 16 + level.share[from + bins[x]]];
      }
    }
    stretch(context, view, image, rows, 1, view.left, view.width);
  }

  function rowsInView(view) {
    const first = Math.max(0, Math.floor(view.top / view.rowHeight));
    const last = Math.min(view.rows.length, Math.ceil((view.top + view.height - RULER) / view.rowHeight));
    return { first, count: Math.max(0, last - first) };
  }

  function binsOfColumns(level, view, width) {
    const bins = new Int32Array(width);
    for (let x = 0; x < width; x++) {
      const time = view.begin + (x + 0.5) / width * (view.end - view.begin);
      const bin = Math.floor(time / level.width);
      bins[x] = bin < level.count ? bin : -1;
    }
    return bins;
  }

  // Draw an image that has some lanes per row.
  function stretch(context, view, image, rows, lanes, left, width) {
    const small = new OffscreenCanvas(image.width, image.height);
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    for (let at = 0; at < rows.count; at++) {
      const y = yOf(view, rows.first + at);
      context.drawImage(small, 0, at * lanes, image.width, lanes, left, y, width, barOf(view));
    }
  }

  // Lanes of a row: calls below each other where there is room, else on top of each other.
  function lanesOf(view, window) {
    const lanes = Math.min(Math.floor(barOf(view) / LANE), window.visits.deepest + 1);
    return Math.max(lanes, 1);
  }

  function laneOf(view, window, depth) {
    const lanes = lanesOf(view, window);
    const height = barOf(view) / lanes;
    return { top: lanes < 2 ? 0 : Math.min(depth, lanes - 1) * height, height };
  }

  function drawDetail(context, scene, view, look, window) {
    const left = Math.max(Math.floor(xOf(view, window.begin)), view.left);
    const width = Math.ceil(Math.min(xOf(view, window.end), view.left + view.width)) - left;
    const rows = rowsInView(view);
    if (width < 1 || !rows.count) return;
    const lanes = lanesOf(view, window);
    const image = new ImageData(width, rows.count * lanes);
    const pixels = new Uint32Array(image.data.buffer).fill(look.pagePixel);
    for (let at = 0; at < rows.count; at++) {
      const own = pixels.subarray(at * lanes * width, (at + 1) * lanes * width);
      paintVisits(own, width, left, lanes, view, look, window, view.rows[rows.first + at]);
    }
    stretch(context, view, image, rows, lanes, left, width);
    if (lanes > 1) separateLanes(context, view, look, rows, lanes, left, width);
  }

  // What is narrower than a pixel shares one with others of its depth: the first is seen.
  function paintVisits(pixels, width, left, lanes, view, look, window, row) {
    const visits = window.visits;
    const range = visits.starts.get(row) || [0, 0];
    const reached = new Int32Array(visits.deepest + 1).fill(-1);
    for (let at = range[0]; at < range[1] && visits.enter[at] <= view.end; at++) {
      const leave = visits.enter[at] + visits.length[at];
      if (leave < view.begin) continue;
      const depth = visits.depth[at];
      const begin = Math.max(Math.floor(xOf(view, visits.enter[at]) - left), reached[depth] + 1, 0);
      const end = Math.min(Math.ceil(xOf(view, leave) - left), width);
      if (end <= begin) continue;
      reached[depth] = end - 1;
      const lane = (lanes < 2 ? 0 : Math.min(depth, lanes - 1)) * width;
      pixels.fill(look.shades[visits.region[at] * 16 + 15], lane + begin, lane + end);
    }
  }

  function separateLanes(context, view, look, rows, lanes, left, width) {
    context.fillStyle = look.page;
    for (let at = 0; at < rows.count; at++) {
      const y = yOf(view, rows.first + at);
      for (let lane = 1; lane < lanes; lane++) {
        context.fillRect(left, y + lane * barOf(view) / lanes - 1, width, 1);
      }
    }
  }

  // Names stand on their own ground, so that hatching does not cross them out.
  function writeNames(context, scene, view, look, window, row, place) {
    const visits = window.visits;
    const range = visits.starts.get(row) || [0, 0];
    const left = Math.max(xOf(view, window.begin), view.left);
    const shared = lanesOf(view, window) - 1;
    if (barOf(view) / (shared + 1) < LANE - 1) return;
    const widest = (view.end - view.begin) / view.width * 40;
    for (let at = range[0]; at < range[1] && visits.enter[at] <= view.end; at++) {
      if (visits.length[at] < widest) continue;
      if (visits.depth[at] >= shared && hasCallee(visits, at, range[1])) continue;
      const x = Math.max(xOf(view, visits.enter[at]), left);
      const end = Math.min(xOf(view, visits.enter[at] + visits.length[at]), view.left + view.width);
      if (end - x < 40) continue;
      const lane = laneOf(view, window, visits.depth[at]);
      const region = visits.region[at];
      writeInside(context, scene.regions.name[region], x, yOf(view, place) + lane.top, end - x, lane.height,
        look.inks[region], look.grounds[region]);
    }
  }

  function hasCallee(visits, at, end) {
    return at + 1 < end && visits.depth[at + 1] > visits.depth[at];
  }

  function writeInside(context, name, x, y, width, height, ink, ground) {
    const text = tracemill.shorten(name, Math.max(4, Math.floor(width / 7.2)));
    const needed = context.measureText(text).width;
    if (needed >= width - 6) return;
    const tall = Math.min(LETTERS, height);
    context.fillStyle = ground;
    context.fillRect(x + 1, y + (height - tall) / 2, needed + 4, tall);
    context.fillStyle = ink;
    context.fillText(text, x + 3, y + height / 2);
  }

  // --- What is laid over the rows ---

  function drawWaits(context, scene, view, look, details) {
    context.fillStyle = look.hatch();
    const isTold = (begin, end) =>
      details.some((window) => window.begin <= begin && end <= window.end);
    const bar = { top: 0, height: barOf(view) };
    hatchWaits(context, view, scene.waits, isTold, () => bar);
    for (const window of details) {
      hatchWaits(context, view, window.waits, () => false,
        (at) => laneOf(view, window, window.waitDepths[at]));
    }
  }

  // A wait is a strip along the lower edge of the call that waits, or of its row.
  function hatchWaits(context, view, waits, isTold, laneOfWait) {
    for (let at = 0; at < waits.row.length; at++) {
      const begin = waits.begin[at];
      const end = begin + waits.length[at];
      const place = view.placeOf[waits.row[at]];
      if (begin > view.end || end < view.begin || place === undefined) continue;
      const lane = laneOfWait(at);
      const strip = Math.min(STRIP, lane.height);
      const y = yOf(view, place) + lane.top + lane.height - strip;
      const x = Math.max(xOf(view, begin), view.left);
      const width = Math.min(xOf(view, end), view.left + view.width) - x;
      if (y < 0 || y > view.height || width < 1.5 || isTold(begin, end)) continue;
      context.fillRect(x, y, width, strip);
    }
  }

  function drawBands(context, view, look, window) {
    context.fillStyle = look.accent;
    context.strokeStyle = look.accent;
    for (const band of window.bands) {
      const members = band.members.filter((member) => view.placeOf[member.row] !== undefined);
      if (members.length < 2) continue;
      const left = Math.min(...members.map((member) => member.begin));
      const right = Math.max(...members.map((member) => member.end));
      if (left > view.end || right < view.begin) continue;
      context.beginPath();
      for (const member of members) trace(member.begin, member.row);
      for (const member of members.slice().reverse()) trace(member.end, member.row);
      context.closePath();
      context.globalAlpha = 0.13;
      context.fill();
      context.globalAlpha = 0.5;
      context.lineWidth = 0.7;
      context.stroke();
    }
    context.globalAlpha = 1;

    function trace(time, row) {
      const y = yOf(view, view.placeOf[row]);
      context.lineTo(xOf(view, time), y);
      context.lineTo(xOf(view, time), y + barOf(view));
    }
  }

  function drawMessages(context, view, look, window) {
    const messages = window.messages;
    context.strokeStyle = context.fillStyle = look.ink;
    context.lineWidth = 0.8;
    const arrows = [];
    for (let at = 0; at < messages.begin.length; at++) {
      const end = messages.begin[at] + messages.length[at];
      if (Math.min(messages.begin[at], end) > view.end) continue;
      if (Math.max(messages.begin[at], end) < view.begin || !look.passesMessage(messages, at)) continue;
      const from = view.placeOf[messages.from[at]];
      const to = view.placeOf[messages.to[at]];
      if (from !== undefined && to !== undefined) arrows.push([messages.begin[at], from, end, to]);
    }
    // Many together are a shadow, a few have heads.
    context.globalAlpha = Math.min(0.75, Math.max(0.08, 150 / arrows.length));
    for (const arrow of arrows) drawArrow(context, view, ...arrow, arrows.length < MOST_HEADS);
    context.globalAlpha = 1;
  }

  function drawArrow(context, view, begin, from, end, to, hasHead) {
    const middle = barOf(view) / 2;
    const x = xOf(view, begin);
    const y = yOf(view, from) + middle;
    const headX = xOf(view, end);
    const headY = yOf(view, to) + middle;
    if ((y < 0 && headY < 0) || (y > view.height && headY > view.height)) return;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(headX, headY);
    context.stroke();
    if (!hasHead) return;
    const angle = Math.atan2(headY - y, headX - x);
    context.beginPath();
    context.moveTo(headX, headY);
    context.lineTo(headX - 6 * Math.cos(angle - 0.4), headY - 6 * Math.sin(angle - 0.4));
    context.lineTo(headX - 6 * Math.cos(angle + 0.4), headY - 6 * Math.sin(angle + 0.4));
    context.fill();
  }

  // Stretches narrower than a column are not drawn one by one: the column shows the row that has
  // most of the path in it, without the jumps.
  function drawPath(context, scene, view, look) {
    const path = scene.path;
    const columns = new Map();
    let before = null; // the last stretch, if it was wide enough to be seen
    context.beginPath();
    for (let at = 0; at < path.row.length; at++) {
      const begin = path.begin[at];
      const end = begin + path.length[at];
      const place = view.placeOf[path.row[at]];
      if (begin > view.end || end < view.begin || place === undefined) continue;
      const left = Math.max(xOf(view, begin), view.left - 5);
      const right = Math.min(xOf(view, end), view.left + view.width + 5);
      if (right - left < COLUMN) {
        count(columns, Math.floor(left / COLUMN), place, right - left);
        before = null;
        continue;
      }
      const y = yOfPath(view, place);
      if (before && before.ordinal === path.ordinal[at] - 1) context.moveTo(left, before.y);
      else context.moveTo(left, y);
      context.lineTo(left, y);
      context.lineTo(right, y);
      before = { ordinal: path.ordinal[at], y };
    }
    for (const [column, parts] of columns) {
      const most = Array.from(parts).reduce((one, other) => (other[1] > one[1] ? other : one));
      context.moveTo(column * COLUMN, yOfPath(view, most[0]));
      context.lineTo((column + 1) * COLUMN, yOfPath(view, most[0]));
    }
    outline(context, look, view.rowHeight < 8 ? 1.5 : 2);
  }

  // A thin line with an edge in the color of the page, which sets it off from any region.
  function outline(context, look, width) {
    context.strokeStyle = look.page;
    context.lineWidth = width + 1.5;
    context.globalAlpha = 0.7;
    context.stroke();
    context.globalAlpha = 1;
    context.strokeStyle = look.path;
    context.lineWidth = width;
    context.stroke();
  }

  const yOfPath = (view, place) => yOf(view, place) + barOf(view) - 1;

  function count(columns, column, place, width) {
    if (!columns.has(column)) columns.set(column, new Map());
    const parts = columns.get(column);
    parts.set(place, (parts.get(place) || 0) + width);
  }

  function drawChosen(context, view, look) {
    const place = view.rows.indexOf(look.row);
    context.strokeStyle = look.ink;
    context.lineWidth = 1;
    if (place >= 0 && look.hasFocus) {
      context.setLineDash([3, 3]);
      context.strokeRect(view.left + 0.5, yOf(view, place) - 0.5, view.width - 1, barOf(view) + 1);
      context.setLineDash([]);
    }
    const chosen = look.chosen;
    const own = chosen ? view.placeOf[chosen.row] : undefined;
    if (own === undefined) return;
    const x = xOf(view, chosen.begin);
    const lane = chosen.window ? laneOf(view, chosen.window, chosen.depth) : { top: 0, height: barOf(view) };
    context.lineWidth = 2;
    context.strokeRect(x, yOf(view, own) + lane.top, Math.max(xOf(view, chosen.end) - x, 2), lane.height);
  }

  // --- Names of rows and the ruler ---

  function drawLabels(context, scene, view, look) {
    context.fillStyle = look.page;
    context.fillRect(0, 0, view.left, view.height);
    context.save();
    context.beginPath();
    context.rect(0, RULER, view.left, view.height - RULER);
    context.clip();
    const every = Math.ceil(12 / view.rowHeight);
    context.font = Math.min(12, Math.max(10, view.rowHeight - 2)) + "px system-ui, sans-serif";
    eachRow(view, (row, place) => {
      if (place % every) return;
      const { label, isThread } = scene.rows[row];
      context.fillStyle = row === look.row && look.hasFocus ? look.ink : look.soft;
      const y = yOf(view, place) + Math.min(barOf(view), 18 + view.rowHeight / 3) / 2;
      context.fillText(label, isThread ? 14 : 2, y);
    });
    context.restore();
  }

  // A lane of the ruler with parts between edges, each with a shade and a number.
  function drawLane(context, view, look, edges, top, shadeOf, numberOf) {
    context.save();
    context.font = "9px system-ui, sans-serif";
    context.fillStyle = look.soft;
    for (let at = 0; at + 1 < edges.length && edges[at] < view.end; at++) {
      const x = Math.max(xOf(view, edges[at]), view.left);
      const end = Math.min(xOf(view, edges[at + 1]), view.left + view.width);
      if (end <= x) continue;
      context.globalAlpha = shadeOf(at);
      context.fillRect(x, top, end - x, 9);
      context.globalAlpha = 1;
      if (end - x > 30) context.fillText(String(numberOf(at)), x + 3, top + 5);
    }
    context.restore();
  }

  // Iterations take turns in two shades. Phases of one kind have the same shade and number.
  function drawLanes(context, scene, view, look) {
    const { edges, kinds } = scene.phases;
    if (look.show.phases) {
      drawLane(context, view, look, edges, RULER - 22, (at) => 0.15 * (1 + kinds[at] % 4), (at) => kinds[at]);
    }
    if (look.show.iterations) {
      drawLane(context, view, look, scene.iterations, RULER - 11, (at) => at % 2 ? 0.15 : 0.35, (at) => at);
    }
  }

  function drawRuler(context, scene, view, look) {
    context.fillStyle = look.page;
    context.fillRect(view.left, 0, view.width, RULER);
    drawLanes(context, scene, view, look);
    for (const window of scene.windows) {
      const x = Math.max(xOf(view, window.begin), view.left);
      const end = Math.min(xOf(view, window.end), view.left + view.width);
      context.fillStyle = look.accent;
      if (end > x) context.fillRect(x, RULER - 4, Math.max(end - x, 2), 3);
    }
    const step = niceStep((view.end - view.begin) / Math.max(view.width / 110, 1));
    context.fillStyle = look.soft;
    const shift = scene.begin;
    for (let tick = Math.ceil((view.begin + shift) / step) * step; tick <= view.end + shift; tick += step) {
      const x = xOf(view, tick - shift);
      context.fillRect(x, RULER - 8, 1, 8);
      if (x + 70 < view.left + view.width) context.fillText(secondsOf(tick, step), x + 4, 9);
    }
  }

  function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  }

  function secondsOf(time, step) {
    return (time / 1e9).toFixed(Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9))) + " s";
  }

  return { draw, laneOf, visibleWindows, chooseLevel, barOf, RULER };
})();
