"use strict";
// Draws what is visible of a timeline on a canvas: only rows in view, only what has pixels.
tracemill.timelineDraw = (function () {
  const { isPlain, cellsOf, canFold } = tracemill.timelineArrange;
  const LANE = 11;
  const LETTERS = 13;
  const INDENT = 10;
  const MARK = 11;

  // The finest bins of which no more than some share a pixel, else the coarsest.
  function chooseLevel(scene, view) {
    const perPixel = (view.end - view.begin) / view.width;
    const fitting = scene.levels.filter((level) => level.width >= perPixel * 0.4);
    return fitting.length ? fitting[fitting.length - 1] : scene.levels[0];
  }

  function draw(context, scene, view, look) {
    const laid = tracemill.timelineLaid;
    context.save();
    context.clearRect(0, 0, view.left + view.width, view.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(view.left, view.head, view.width, view.height - view.head);
    context.clip();
    const details = visibleWindows(scene, view);
    drawBins(context, scene, view, look);
    for (const window of details) drawDetail(context, scene, view, look, window);
    if (look.show.waits) laid.drawWaits(context, scene, view, look, details);
    for (const window of details) {
      eachRow(view, (row, place) => writeNames(context, scene, view, look, window, row, place));
      if (look.show.collectives) laid.drawBands(context, view, look, window);
      if (look.show.messages) laid.drawMessages(context, view, look, window);
    }
    if (look.show.path) laid.drawPath(context, scene, view, look);
    drawChosen(context, scene, view, look);
    context.restore();
    drawLabels(context, scene, view, look);
    tracemill.timelineLanes.draw(context, scene, view, look);
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
    const last = Math.ceil((view.top + view.height - view.head) / view.rowHeight);
    for (let place = first; place < Math.min(last, view.rows.length); place++) {
      take(view.rows[place], place);
    }
  }

  const xOf = (view, time) => view.left + (time - view.begin) / (view.end - view.begin) * view.width;
  const yOf = (view, place) => view.head + place * view.rowHeight - view.top;
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
      const cells = cellsOf(scene, view, level, view.rows[rows.first + at]);
      for (let x = 0; cells && x < width; x++) {
        const region = bins[x] < 0 ? 0 : cells.region[cells.from + bins[x]];
        if (region) pixels[at * width + x] = look.shades[(region - 1) * 16 + cells.share[cells.from + bins[x]]];
      }
    }
    stretch(context, view, image, rows, 1, view.left, view.width);
  }

  function rowsInView(view) {
    const first = Math.max(0, Math.floor(view.top / view.rowHeight));
    const last = Math.min(view.rows.length, Math.ceil((view.top + view.height - view.head) / view.rowHeight));
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
    const pixels = new Uint32Array(image.data.buffer);
    for (let at = 0; at < rows.count; at++) {
      if (!isPlain(scene, view, view.rows[rows.first + at])) continue;
      const own = pixels.subarray(at * lanes * width, (at + 1) * lanes * width).fill(look.pagePixel);
      paintVisits(own, width, left, lanes, view, look, window, view.rows[rows.first + at]);
    }
    stretch(context, view, image, rows, lanes, left, width);
    if (lanes > 1) separateLanes(context, scene, view, look, rows, lanes, left, width);
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

  function separateLanes(context, scene, view, look, rows, lanes, left, width) {
    context.fillStyle = look.page;
    for (let at = 0; at < rows.count; at++) {
      if (!isPlain(scene, view, view.rows[rows.first + at])) continue;
      const y = yOf(view, rows.first + at);
      for (let lane = 1; lane < lanes; lane++) {
        context.fillRect(left, y + lane * barOf(view) / lanes - 1, width, 1);
      }
    }
  }

  // Names stand on their own ground, so that hatching does not cross them out.
  function writeNames(context, scene, view, look, window, row, place) {
    if (!isPlain(scene, view, row)) return;
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
      writeInside(context, scene.regions.shown[region], x, yOf(view, place) + lane.top, end - x, lane.height,
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

  // --- The selection, names of rows and the ruler ---

  function drawChosen(context, scene, view, look) {
    const place = look.row === null ? undefined : view.placeOf[look.row];
    context.strokeStyle = look.ink;
    context.lineWidth = 1;
    if (place !== undefined && look.hasFocus && look.lane === null) {
      context.setLineDash([3, 3]);
      context.strokeRect(view.left + 0.5, yOf(view, place) - 0.5, view.width - 1, barOf(view) + 1);
      context.setLineDash([]);
    }
    const chosen = look.chosen;
    const own = chosen ? view.placeOf[chosen.row] : undefined;
    if (own === undefined) return;
    const x = xOf(view, chosen.begin);
    const isAlone = isPlain(scene, view, view.rows[own]);
    const lane = chosen.window && isAlone ? laneOf(view, chosen.window, chosen.depth) : { top: 0, height: barOf(view) };
    context.lineWidth = 2;
    context.strokeRect(x, yOf(view, own) + lane.top, Math.max(xOf(view, chosen.end) - x, 2), lane.height);
  }

  function drawLabels(context, scene, view, look) {
    context.fillStyle = look.page;
    context.fillRect(0, 0, view.left, view.height);
    context.save();
    context.beginPath();
    context.rect(0, view.head, view.left, view.height - view.head);
    context.clip();
    context.font = Math.min(12, Math.max(10, view.rowHeight - 2)) + "px system-ui, sans-serif";
    const labels = [];
    eachRow(view, (row, place) => {
      const y = yOf(view, place) + Math.min(barOf(view), 18 + view.rowHeight / 3) / 2;
      labels.push({ row, y: view.rowHeight < 12 ? Math.max(y, view.head + 6) : y, isGroup: scene.tree.items[row].members.length > 1 });
    });
    for (const isGroup of [true, false]) {
      const taken = labels.filter((label) => label.isWritten).map((label) => label.y);
      for (const label of labels) {
        if (label.isGroup !== isGroup) continue;
        if (taken.some((y) => Math.abs(y - label.y) < Math.min(12, view.rowHeight * 3))) continue;
        label.isWritten = true;
        taken.push(label.y);
        drawLabel(context, scene, view, look, label);
      }
    }
    context.restore();
  }

  // Groups first where there is no room for all labels; each has a triangle, which a click turns.
  function drawLabel(context, scene, view, look, { row, y }) {
    const { label, depth } = scene.tree.items[row];
    const x = 2 + depth * INDENT;
    const isFoldable = canFold(scene.tree, row);
    context.fillStyle = row === look.row && look.hasFocus ? look.ink : look.soft;
    if (isFoldable) drawTriangle(context, x, y, view.folded.has(row));
    const left = x + (scene.tree.canFold ? MARK : 0);
    const most = Math.max(4, Math.floor((view.left - left) / 6.4));
    context.fillText(tracemill.shorten(label, most), left, y);
  }

  function drawTriangle(context, x, y, isFolded) {
    context.beginPath();
    if (isFolded) { context.moveTo(x + 1, y - 4); context.lineTo(x + 7, y); context.lineTo(x + 1, y + 4); }
    else { context.moveTo(x, y - 3); context.lineTo(x + 8, y - 3); context.lineTo(x + 4, y + 3); }
    context.fill();
  }

  return { draw, laneOf, visibleWindows, chooseLevel, xOf, yOf, barOf };
})();
