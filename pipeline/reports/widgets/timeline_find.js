"use strict";
// What lies under a point of a timeline, what comes before and after it, and what is said of it.
tracemill.timelineFind = (function () {
  const draw = tracemill.timelineDraw;
  const { cellsOf, isPlain } = tracemill.timelineArrange;
  const NEAR = 5;

  const placeAt = (view, y) => Math.floor((y - view.head + view.top) / view.rowHeight);
  const rowAt = (view, y) => y < view.head ? undefined : view.rows[placeAt(view, y)];

  // What is at a place of the canvas: a part of a lane, a message, a visit, a bin, or null.
  function under(scene, view, look, x, y) {
    const place = placeAt(view, y);
    const row = rowAt(view, y);
    const time = view.begin + (x - view.left) / view.width * (view.end - view.begin);
    const lane = y < view.head && x >= view.left ? tracemill.timelineLanes.laneAt(view, y) : -1;
    if (lane >= 0) return tracemill.timelineLanes.partAt(scene, view, look, lane, time);
    if (row === undefined || x < view.left) return null;
    const inRow = y - view.head + view.top - place * view.rowHeight;
    const windows = (isPlain(scene, view, row) ? draw.visibleWindows(scene, view) : [])
      .filter((window) => window.begin <= time && time < window.end);
    for (const window of windows.slice().reverse()) {
      return (look.show.messages && messageNear(view, look, window, x, y))
        || visitAt(view, window, row, time, inRow);
    }
    return binAt(scene, view, row, time);
  }

  function messageNear(view, look, window, x, y) {
    const messages = window.messages;
    let best = null;
    let least = NEAR;
    for (let at = 0; at < messages.begin.length; at++) {
      if (!look.passesMessage(messages, at)) continue;
      const from = view.placeOf[messages.from[at]];
      const to = view.placeOf[messages.to[at]];
      if (from === undefined || to === undefined) continue;
      const distance = distanceTo(view, messages.begin[at], from,
        messages.begin[at] + messages.length[at], to, x, y);
      if (distance < least) {
        least = distance;
        best = { kind: "message", window, at, row: messages.from[at],
          begin: messages.begin[at], end: messages.begin[at] + messages.length[at] };
      }
    }
    return best;
  }

  function distanceTo(view, begin, from, end, to, x, y) {
    const scale = view.width / (view.end - view.begin);
    const middle = view.head - view.top + draw.barOf(view) / 2;
    const ax = view.left + (begin - view.begin) * scale;
    const ay = middle + from * view.rowHeight;
    const dx = (end - begin) * scale;
    const dy = (to - from) * view.rowHeight;
    const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(1, Math.max(0, along));
    return Math.hypot(x - ax - part * dx, y - ay - part * dy);
  }

  // The innermost visit at a time, or the one whose lane was pointed at.
  function visitAt(view, window, row, time, inRow) {
    const visits = window.visits;
    const range = visits.starts.get(row) || [0, 0];
    let found = null;
    for (let at = range[0]; at < range[1] && visits.enter[at] <= time; at++) {
      if (time >= visits.enter[at] + visits.length[at]) continue;
      const lane = draw.laneOf(view, window, visits.depth[at]);
      if (!found || inRow === null || inRow >= lane.top) found = visit(window, at);
    }
    return found;
  }

  function visit(window, at) {
    const visits = window.visits;
    return { kind: "visit", window, at, row: visits.row[at], region: visits.region[at],
      depth: visits.depth[at], begin: visits.enter[at], end: visits.enter[at] + visits.length[at] };
  }

  function binAt(scene, view, row, time) {
    const level = draw.chooseLevel(scene, view);
    const bin = Math.floor(time / level.width);
    if (bin < 0 || bin >= level.count) return null;
    const cells = cellsOf(scene, view, level, row);
    const region = cells && cells.region[cells.from + bin];
    if (!region) return null;
    return { kind: "bin", row, region: region - 1, of: view.folded.has(row) ? view.members.get(row).length : 1,
      begin: bin * level.width, end: Math.min((bin + 1) * level.width, scene.length) };
  }

  // The next or previous visit or bin of a row of what is shown; `from` was chosen before.
  function beside(scene, view, row, from, step) {
    if (from && from.kind === "visit" && from.row === row) {
      const range = from.window.visits.starts.get(row);
      const at = from.at + step;
      return at >= range[0] && at < range[1] ? visit(from.window, at) : from;
    }
    if (step && from && from.kind === "bin" && from.row === row) {
      return besideBin(scene, view, row, from, step) || from;
    }
    return whatIsAt(scene, view, row, (view.begin + view.end) / 2);
  }

  // What comes next, over stretches without any visit; nothing at the ends of the run.
  function besideBin(scene, view, row, from, step) {
    const width = draw.chooseLevel(scene, view).width;
    let time = step > 0 ? from.end : from.begin - 1;
    while (time >= 0 && time < scene.length) {
      const found = whatIsAt(scene, view, row, time);
      if (found) return found;
      time = step > 0 ? (Math.floor(time / width) + 1) * width : Math.floor(time / width) * width - 1;
    }
    return null;
  }

  function whatIsAt(scene, view, row, time) {
    for (const window of isPlain(scene, view, row) ? draw.visibleWindows(scene, view) : []) {
      const found = visitAt(view, window, row, time, null);
      if (found) return found;
    }
    return binAt(scene, view, row, time);
  }

  // A place of "Go to": the call that waits if single calls are there, else the stretch itself.
  function atPlace(scene, place) {
    const end = place.begin + place.length;
    if (place.kind === "wait") {
      for (const window of scene.windows) {
        const at = tracemill.timelineScene.visitAround(window, place.row, place.begin, place.length);
        if (at >= 0) return Object.assign(visit(window, at), { place });
      }
    }
    return { kind: "place", place, row: place.row, begin: place.begin, end };
  }

  // --- In words: what it is, its value, and the whole value if that is a short name ---

  function describe(scene, found) {
    if (found.kind === "message") return describeMessage(scene, found);
    if (found.kind === "lane") return tracemill.timelineLanes.describe(found, (time) => momentOf(scene, time));
    if (found.place) return describePlace(scene, found);
    const regions = scene.regions;
    const told = [["Region", regions.shown[found.region], regions.name[found.region]],
      ["", placeOf(scene, found.row)]];
    if (found.of > 1) told.push(["most time of", found.of + " folded rows"]);
    if (found.kind === "bin") {
      told.push(["from", momentOf(scene, found.begin)],
        ["most of", tracemill.formatTime(found.end - found.begin)]);
    } else {
      told.push(["from", momentOf(scene, found.begin)],
        ["for", tracemill.formatTime(found.end - found.begin)],
        callPathOf(scene, found));
      told.push(...waitsIn(scene, found));
    }
    if (regions.source[found.region]) told.push(["Source", regions.source[found.region]]);
    told.push(["Kind", regions.parts[regions.part[found.region]]]);
    return told;
  }

  function callPathOf({ regions }, found) {
    const path = tracemill.timelineScene.pathOf(found.window, found.at);
    const [shown, whole] = [regions.shown, regions.name].map((names) => path.map((at) => names[at]).join("/"));
    return ["Call path", shown, whole];
  }

  function describePlace(scene, { place, kind, begin, end, region }) {
    const isPath = place.kind === "path";
    const told = [["", place.title], [isPath ? "on" : "", placeOf(scene, place.row)],
      [isPath ? "for" : "waits", tracemill.formatTime(place.length)],
      ["from", momentOf(scene, place.begin)]];
    if (place.cause !== null) {
      told.push([isPath ? "after" : "for", lowerFirst(placeOf(scene, place.cause))]);
    }
    if (place.callPath) told.push([isPath ? "Starts in" : "Call path", place.callPath, place.wholePath]);
    if (kind !== "visit") return told;
    told.push(["Call from", momentOf(scene, begin)], ["for", tracemill.formatTime(end - begin)]);
    const source = scene.regions.source[region];
    return source ? [...told, ["Source", source]] : told;
  }

  // A place of "Go to" in one line.
  function nameOf(scene, place) {
    const where = lowerFirst(placeOf(scene, place.row));
    const time = tracemill.formatTime(place.length);
    if (place.kind === "path") return place.title + ": " + time + " on " + where
      + " from " + ((place.begin + scene.begin) / 1e9).toFixed(3) + " s";
    const whom = place.cause === null ? "" : " for " + lowerFirst(placeOf(scene, place.cause));
    return place.title + ": " + where + " waits " + time + whom;
  }

  const lowerFirst = (text) => text.replace(/^Rank/, "rank");

  function describeMessage(scene, found) {
    const messages = found.window.messages;
    return [
      ["Message from", placeOf(scene, messages.from[found.at])],
      ["to", placeOf(scene, messages.to[found.at])],
      ["tag", String(messages.tag[found.at])],
      ["size", tracemill.formatSize(messages.bytes[found.at])],
      ["sent", momentOf(scene, found.begin)],
      ["received after", tracemill.formatTime(found.end - found.begin)],
    ];
  }

  function waitsIn(scene, found) {
    const waits = found.window.waits;
    const told = [];
    for (let at = 0; at < waits.row.length; at++) {
      const begin = waits.begin[at];
      if (waits.row[at] !== found.row || begin < found.begin) continue;
      if (begin + waits.length[at] > found.end) continue;
      told.push([waits.titles[waits.title[at]], tracemill.formatTime(waits.length[at])
        + " for " + lowerFirst(placeOf(scene, waits.cause[at]))]);
    }
    return told.slice(0, 3);
  }

  function placeOf(scene, row) {
    const { rank, thread, stream } = scene.locations;
    if (row >= scene.tree.count) return "Node " + scene.tree.items[row].label.replace(/^node /i, "");
    if (stream[row]) return stream[row] + " of rank " + rank[row];
    return "Rank " + rank[row] + (scene.hasThreads ? ", thread " + thread[row] : "");
  }

  const momentOf = (scene, time) => ((time + scene.begin) / 1e9).toFixed(9)
    .replace(/(\.\d{3}\d*?)0+$/, "$1") + " s";

  // A window's times, to a thousandth of its length.
  function boundsOf(scene, { begin, end }) {
    const places = Math.min(Math.max(12 - String(Math.round(end - begin)).length, 0), 9);
    return [begin, end].map((time) => ((time + scene.begin) / 1e9).toFixed(places) + " s").join(" to ");
  }

  return { under, rowAt, beside, atPlace, describe, nameOf, placeOf, momentOf, boundsOf };
})();
