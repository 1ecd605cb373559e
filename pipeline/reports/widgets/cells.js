"use strict";
// Sums over the cells of metrics: by metric, by call path, by location, within the page's filter.
// A cell's key is its call path's place times the number of locations plus its location's place.
// With `isRegionKept` the region only searches: values of others stay.
tracemill.makeCells = function (data, { isRegionKept = false } = {}) {
  const { metrics, paths, system, locationCount } = data;
  const pathCount = paths.parent.length;
  let passesPath = null; // null: all
  let passesLocation = null;

  // A call path passes if its region does, or that of a caller.
  function refilter() {
    const region = tracemill.filter.get("region").trim();
    const rank = tracemill.filter.get("rank").trim();
    passesPath = region && !isRegionKept ? markPaths(tracemill.passing("region")) : null;
    passesLocation = rank ? markLocations(tracemill.passing("rank")) : null;
  }

  function markPaths(passes) {
    const hits = paths.regions.map(passes);
    const marks = new Uint8Array(pathCount);
    for (let at = 0; at < pathCount; at++) {
      const parent = paths.parent[at];
      marks[at] = hits[paths.region[at]] || (parent >= 0 && marks[parent]) ? 1 : 0;
    }
    return marks;
  }

  function markLocations(passes) {
    const marks = new Uint8Array(locationCount);
    system.location.forEach((location, node) => {
      if (location >= 0 && passes(system.rank[node])) marks[location] = 1;
    });
    return marks;
  }

  // Calls back with path, location and value of every cell that passes.
  function visit(metric, take) {
    const { keys, values } = metrics[metric];
    for (let at = 0; at < keys.length; at++) {
      const path = Math.floor(keys[at] / locationCount);
      const location = keys[at] - path * locationCount;
      if (passesPath && !passesPath[path]) continue;
      if (passesLocation && !passesLocation[location]) continue;
      take(path, location, values[at]);
    }
  }

  function total(metric) {
    let sum = 0;
    visit(metric, (path, location, value) => { sum += value; });
    return sum;
  }

  // Per call path, without callees; `isIn` says which locations count.
  function byPath(chosen, isIn) {
    const sums = new Float64Array(pathCount);
    for (const metric of chosen) {
      visit(metric, (path, location, value) => { if (!isIn || isIn[location]) sums[path] += value; });
    }
    return sums;
  }

  function byLocation(chosen, isIn) {
    const sums = new Float64Array(locationCount);
    for (const metric of chosen) {
      visit(metric, (path, location, value) => { if (!isIn || isIn[path]) sums[location] += value; });
    }
    return sums;
  }

  // Sums of every node with all below it; parents come before their parts.
  function addUp(own, parents) {
    const sums = Float64Array.from(own);
    for (let at = parents.length - 1; at >= 0; at--) {
      if (parents[at] >= 0) sums[parents[at]] += sums[at];
    }
    return sums;
  }

  // Marks a node and, if it is to stand for them, all below it.
  function markBelow(node, parents, isWhole) {
    const marks = new Uint8Array(parents.length);
    marks[node] = 1;
    for (let at = node + 1; isWhole && at < parents.length; at++) {
      if (parents[at] >= 0 && marks[parents[at]]) marks[at] = 1;
    }
    return marks;
  }

  // Locations of a node of the system tree.
  function locationsOf(node) {
    const nodes = markBelow(node, system.parent, true);
    const marks = new Uint8Array(locationCount);
    nodes.forEach((isIn, at) => { if (isIn && system.location[at] >= 0) marks[system.location[at]] = 1; });
    return marks;
  }

  refilter();
  return { total, byPath, byLocation, addUp, markBelow, locationsOf, refilter };
};
