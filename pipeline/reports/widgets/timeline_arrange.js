"use strict";
// Rows of a timeline: locations below their process, and processes below their node. A folded row
// stands for all locations below it.
tracemill.timelineArrange = (function () {
  // Items: a location has the number of its row; nodes come after all locations. The first location
  // of a process is the head of the others.
  function build(locations) {
    const items = Array.from(locations.rank, (rank, row) => ({ label: "Rank " + rank, parent: -1, members: [row] }));
    const heads = new Map();
    locations.rank.forEach((rank, row) => {
      if (!heads.has(rank)) { heads.set(rank, row); return; }
      const head = heads.get(rank);
      items[row].label = locations.stream[row] ? locations.name[row] || locations.stream[row]
        : "Thread " + locations.thread[row];
      items[row].parent = head;
      items[head].members.push(row);
    });
    const processes = Array.from(heads.values());
    const nodes = addNodes(items, locations, processes);
    const children = new Map();
    items.forEach((item, at) => { if (item.parent >= 0) push(children, item.parent, at); });
    const order = [];
    const visit = (at, depth) => {
      items[at].depth = depth;
      order.push(at);
      for (const child of children.get(at) || []) visit(child, depth + 1);
    };
    for (const at of nodes.length ? nodes : processes) visit(at, 0);
    const groups = processes.filter((row) => items[row].members.length > 1);
    return { items, order, nodes, processes: groups, count: locations.rank.length,
      canFold: nodes.length + groups.length > 0 };
  }

  // The nodes of the processes in the order of their first process; one alone is no group.
  function addNodes(items, locations, processes) {
    if (new Set(processes.map((row) => locations.node[row])).size < 2) return [];
    const nodes = new Map();
    for (const row of processes) {
      const node = locations.node[row];
      if (!nodes.has(node)) {
        nodes.set(node, items.length);
        items.push({ label: locations.nodes[node] || "No node", parent: -1, members: [] });
      }
      items[row].parent = nodes.get(node);
      items[nodes.get(node)].members.push(...items[row].members);
    }
    return Array.from(nodes.values());
  }

  function push(lists, key, value) {
    if (!lists.has(key)) lists.set(key, []);
    lists.get(key).push(value);
  }

  // Levels of folding, from few rows to all: their name and what they fold.
  function levelsOf(tree) {
    const levels = [["All rows", []]];
    if (tree.processes.length) levels.unshift(["Processes", tree.processes]);
    if (tree.nodes.length) levels.unshift(["Nodes", [...tree.nodes, ...tree.processes]]);
    return levels;
  }

  const canFold = (tree, item) => tree.items[item].members.length > 1 || item >= tree.count;

  // A row of one location with its own calls: neither folded nor the heading of a node.
  const isPlain = (scene, view, item) => item < scene.tree.count && !view.folded.has(item);

  // Which items are seen, and in whose place every location is.
  function arrange(scene, view, passes) {
    const { items, order } = scene.tree;
    const rank = scene.locations.rank;
    view.rows = [];
    view.placeOf = {};
    view.members = new Map();
    const hidden = new Set();
    view.summaries = new Map();
    for (const at of order) {
      const { parent, members } = items[at];
      const shown = members.filter((row) => passes(rank[row]));
      if (!shown.length) continue;
      view.members.set(at, shown);
      if (parent >= 0 && (view.folded.has(parent) || hidden.has(parent))) {
        hidden.add(at);
        view.placeOf[at] = view.placeOf[parent];
        continue;
      }
      view.placeOf[at] = view.rows.length;
      view.rows.push(at);
    }
  }

  // Regions and shares of the bins of an item, from a place on; null for the heading of an open node.
  function cellsOf(scene, view, level, item) {
    if (isPlain(scene, view, item)) return { region: level.region, share: level.share, from: item * level.count };
    if (!view.folded.has(item)) return null;
    const key = item + ":" + level.width;
    if (!view.summaries.has(key)) view.summaries.set(key, summarize(level, view.members.get(item)));
    return view.summaries.get(key);
  }

  // The region with the most time of some rows in every bin, and its mean share.
  function summarize(level, rows) {
    const region = new level.region.constructor(level.count);
    const share = new Uint8Array(level.count);
    const sums = new Map();
    for (let bin = 0; bin < level.count; bin++) {
      sums.clear();
      let most = 0;
      for (const row of rows) {
        const found = level.region[row * level.count + bin];
        if (!found) continue;
        const sum = (sums.get(found) || 0) + level.share[row * level.count + bin];
        sums.set(found, sum);
        if (sum <= most) continue;
        most = sum;
        region[bin] = found;
      }
      share[bin] = Math.ceil(most / rows.length);
    }
    return { region, share, from: 0 };
  }

  return { build, levelsOf, canFold, isPlain, arrange, cellsOf };
})();
