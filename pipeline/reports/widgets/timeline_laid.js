"use strict";
// What is laid over the rows of a timeline: waits, collectives, messages and the critical path.
tracemill.timelineLaid = (function () {
  const { laneOf, xOf, yOf, barOf } = tracemill.timelineDraw;
  const COLUMN = 4; // pixels that narrow stretches of the critical path share
  const STRIP = 5;
  const MOST_HEADS = 400;

  function drawWaits(context, scene, view, look, details) {
    context.fillStyle = look.hatch();
    const isTold = (begin, end) =>
      details.some((window) => window.begin <= begin && end <= window.end);
    const bar = { top: 0, height: barOf(view), strip: Math.round(barOf(view) / 4) }; // no names there
    const folded = new Map();
    hatchWaits(context, view, folded, scene.waits, isTold, () => bar);
    for (const window of details) {
      hatchWaits(context, view, folded, window.waits, () => false,
        (at) => laneOf(view, window, window.waitDepths[at]));
    }
    for (const [place, steps] of folded) hatchFolded(context, view, place, steps);
  }

  // A wait is a strip along the lower edge of the call that waits, or of its row. For folded rows,
  // waits are counted by pixel.
  function hatchWaits(context, view, folded, waits, isTold, laneOfWait) {
    for (let at = 0; at < waits.row.length; at++) {
      const begin = waits.begin[at];
      const end = begin + waits.length[at];
      const place = view.placeOf[waits.row[at]];
      if (begin > view.end || end < view.begin || place === undefined) continue;
      const lane = laneOfWait(at);
      const strip = Math.max(stripOf(lane.height), lane.strip || 0);
      const y = yOf(view, place) + lane.top + lane.height - strip;
      const x = Math.max(xOf(view, begin), view.left);
      const width = Math.min(xOf(view, end), view.left + view.width) - x;
      if (y < 0 || y > view.height || isTold(begin, end)) continue;
      if (view.folded.has(view.rows[place])) countWait(view, folded, place, x, width);
      else if (width >= 1.5) context.fillRect(x, y, width, strip);
    }
  }

  const stripOf = (height) => Math.max(2, Math.min(STRIP, Math.round(height * 0.4)));

  function countWait(view, folded, place, x, width) {
    if (!folded.has(place)) folded.set(place, new Int32Array(Math.ceil(view.width) + 2));
    const steps = folded.get(place);
    const first = Math.round(x - view.left);
    steps[first]++;
    steps[Math.round(x - view.left + width)]--;
  }

  // The strip is the higher, the more of the rows wait.
  function hatchFolded(context, view, place, steps) {
    const bottom = yOf(view, place) + barOf(view);
    const highest = stripOf(barOf(view)) / view.members.get(view.rows[place]).length;
    let begin = 0;
    let waiting = 0;
    for (let x = 0; x < steps.length; x++) {
      if (!steps[x]) continue;
      const height = Math.round(waiting * highest);
      if (height) context.fillRect(view.left + begin, bottom - height, x - begin, height);
      waiting += steps[x];
      begin = x;
    }
  }

  function drawBands(context, view, look, window) {
    context.fillStyle = look.accent;
    context.strokeStyle = look.accent;
    for (const band of window.bands) {
      if (band.begin > view.end || band.end < view.begin) continue;
      const members = membersByPlace(view, band.members);
      if (members.length < 2) continue;
      context.beginPath();
      for (const member of members) trace(member.begin, member.place);
      for (const member of members.reverse()) trace(member.end, member.place);
      context.closePath();
      context.globalAlpha = 0.13;
      context.fill();
      context.globalAlpha = 0.5;
      context.lineWidth = 0.7;
      context.stroke();
    }
    context.globalAlpha = 1;

    function trace(time, place) {
      const y = yOf(view, place);
      context.lineTo(xOf(view, time), y);
      context.lineTo(xOf(view, time), y + barOf(view));
    }
  }

  // From top to bottom; members below a folded row are one.
  function membersByPlace(view, members) {
    const found = new Map();
    for (const { row, begin, end } of members) {
      const place = view.placeOf[row];
      if (place === undefined) continue;
      const before = found.get(place);
      if (!before) found.set(place, { place, begin, end });
      else {
        before.begin = Math.min(before.begin, begin);
        before.end = Math.max(before.end, end);
      }
    }
    return Array.from(found.values()).sort((one, other) => one.place - other.place);
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
      if (from === to && messages.from[at] !== messages.to[at]) continue; // within a folded row
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
    outline(context, look, widthOfPath(view));
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

  // A whole pixel or two, as lines between pixels are pale.
  const widthOfPath = (view) => view.rowHeight < 8 ? 1 : 2;
  const yOfPath = (view, place) =>
    Math.round(yOf(view, place) + barOf(view) - 1) - widthOfPath(view) % 2 / 2;

  function count(columns, column, place, width) {
    if (!columns.has(column)) columns.set(column, new Map());
    const parts = columns.get(column);
    parts.set(place, (parts.get(place) || 0) + width);
  }

  return { drawWaits, drawBands, drawMessages, drawPath };
})();
