"use strict";
// What a timeline shows, ready to be drawn: rows, regions with colors, bins, windows with depths.
tracemill.timelineScene = (function () {
  const SHARES = 15; // A bin has the share of its region in so many parts of it.
  const LEAST = 0.002; // Of the time: regions with less are not seen.

  function build(data) {
    const scene = {
      length: Math.max(data.end - data.begin, 1),
      begin: data.begin,
      opened: data.windows.length && data.windows[0].isRequested ? data.windows[0] : data.main,
      tree: tracemill.timelineArrange.build(data.locations),
      locations: data.locations,
      regions: data.regions,
      levels: data.levels,
      path: data.path,
      lanes: tracemill.timelineLanes.build(data),
      waits: data.waits,
      places: data.places,
      windows: data.windows.map(prepareWindow),
      hasThreads: data.locations.thread.some((thread) => thread > 0),
    };
    scene.weights = weigh(scene);
    scene.colors = assignColors(scene);
    return scene;
  }

  // Who needs a color of its own and a place in the legend: regions by their time (ns, without
  // callees) where the timeline opens, then, below 1, those that are seen elsewhere. A window with
  // all of it has its visits, also if it is shorter than a bin.
  function weigh(scene) {
    const { begin, end } = scene.opened;
    const seen = new Float64Array(scene.regions.name.length);
    const anywhere = new Float64Array(seen.length);
    const level = scene.levels[scene.levels.length - 1];
    for (let at = 0; level && at < level.region.length; at++) {
      if (!level.region[at]) continue;
      const time = at % level.count * level.width;
      const spent = level.share[at] / SHARES * level.width;
      anywhere[level.region[at] - 1] += spent;
      if (time >= begin && time + level.width <= end) seen[level.region[at] - 1] += spent;
    }
    const whole = scene.windows.find((window) => window.begin <= begin && window.end >= end);
    if (whole) addVisits(seen.fill(0), whole.visits, begin, end);
    const [all, shown] = [anywhere, seen].map((times) => times.reduce((sum, time) => sum + time, 0));
    return seen.map((time, region) => time > 1 && time >= LEAST * shown ? time : anywhere[region] / (all + 1));
  }

  function addVisits(times, visits, begin, end) {
    for (let at = 0; at < visits.row.length; at++) {
      const time = Math.min(visits.enter[at] + visits.length[at], end) - Math.max(visits.enter[at], begin);
      if (time <= 0) continue;
      times[visits.region[at]] += time;
      if (visits.above[at] >= 0) times[visits.region[visits.above[at]]] -= time;
    }
  }

  // Regions that compute take turns in their shades, heaviest first; others have that of their part.
  function assignColors(scene) {
    const { shades, styles, part } = scene.regions;
    const order = Array.from(scene.weights.keys())
      .sort((one, other) => scene.weights[other] - scene.weights[one] || one - other);
    const colors = new Array(order.length);
    let turn = 0;
    for (const region of order) {
      const style = styles[part[region]];
      colors[region] = "--" + (style === shades[0] ? shades[turn++ % shades.length] : style);
    }
    return colors;
  }

  function prepareWindow(window) {
    const visits = window.visits;
    const count = visits.row.length;
    const enter = new Float64Array(count);
    let time = 0;
    for (let at = 0; at < count; at++) enter[at] = time += visits.step[at];
    const prepared = Object.assign({}, window, {
      visits: Object.assign(nest(visits.row, enter, visits.length), {
        row: visits.row, enter, length: visits.length, region: visits.region,
        starts: startsOf(visits.row),
      }),
      bands: groupMembers(window.collectives),
    });
    prepared.waitDepths = Array.from(window.waits.row, (row, at) => {
      const found = visitAround(prepared, row, window.waits.begin[at], window.waits.length[at]);
      return found < 0 ? 0 : prepared.visits.depth[found];
    });
    return prepared;
  }

  // The innermost visit of a row that holds all of a stretch, or -1.
  function visitAround(window, row, begin, length) {
    const { enter, above, starts, length: lengths } = window.visits;
    let [low, high] = starts.get(row) || [0, 0];
    const first = low;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (enter[middle] <= begin) low = middle + 1;
      else high = middle;
    }
    let at = low > first ? low - 1 : -1;
    while (at >= 0 && enter[at] + lengths[at] < begin + length) at = above[at];
    return at;
  }

  // How many visits each visit lies in, and the innermost of them or -1.
  function nest(row, enter, length) {
    const depth = new Uint8Array(row.length);
    const above = new Int32Array(row.length).fill(-1);
    let open = [];
    let deepest = 0;
    for (let at = 0; at < row.length; at++) {
      if (at && row[at] !== row[at - 1]) open = [];
      const leave = enter[at] + length[at];
      while (open.length && !holds(open[open.length - 1], leave)) open.pop();
      depth[at] = Math.min(open.length, 255);
      if (open.length) above[at] = open[open.length - 1];
      deepest = Math.max(deepest, depth[at]);
      open.push(at);
    }
    return { depth, above, deepest };

    function holds(other, leave) {
      return enter[other] + length[other] >= leave;
    }
  }

  // Where the visits of each row begin.
  function startsOf(row) {
    const starts = new Map();
    for (let at = 0; at < row.length; at++) {
      if (!starts.has(row[at])) starts.set(row[at], [at, at]);
      starts.get(row[at])[1] = at + 1;
    }
    return starts;
  }

  // Members of every collective, by row.
  function groupMembers(members) {
    const bands = [];
    for (let at = 0; at < members.row.length; at++) {
      if (!at || members.instance[at] !== members.instance[at - 1]) bands.push([]);
      bands[bands.length - 1].push(at);
    }
    return bands.map((band) => {
      const found = band.map((at) => (
        { row: members.row[at], begin: members.begin[at], end: members.begin[at] + members.length[at] }));
      return { members: found, begin: Math.min(...found.map((member) => member.begin)),
        end: Math.max(...found.map((member) => member.end)) };
    });
  }

  // The call path of a visit of a window, outermost first.
  function pathOf(window, at) {
    const names = [];
    for (let up = at; up >= 0; up = window.visits.above[up]) names.unshift(window.visits.region[up]);
    return names;
  }

  return { build, pathOf, visitAround };
})();
