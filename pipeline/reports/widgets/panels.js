"use strict";
// Metric tree, call tree and system tree: what is chosen in one is what those to its right count.
tracemill.widgets.panels = function (stage, data) {
  const { element, selection, filter } = tracemill;
  const { metrics, paths, system } = data;
  const cells = tracemill.makeCells(data);
  // Metrics without a whole stand under these; counts and bytes come last.
  const KINDS = {
    profile: "Profile", overhead: "Overheads", "wait state": "Wait states", delay: "Delays",
    efficiency: "Efficiencies", indirect: "Indirect and propagating waiting", imbalance: "Imbalance of call paths",
    completion: "Completion", finding: "Findings", threads: "Threads", "critical path": "Critical path",
    idle: "Idle time", communication: "Communication", "input/output": "I/O",
    counts: "Counts", bytes: "Bytes",
  };
  // Wholes that are no more than their parts, and what they follow.
  const WHOLES = ["time", "all_waiting", "all_causes", "pop_losses"];
  const metricTree = nestKinds();
  let metric = Math.max(0, metrics.findIndex((each) => each.name === "time"));
  let path = null;
  let mode = "amount";
  // Amounts with and without what is below, by node of each tree.
  const sums = { metric: null, path: null, place: null };

  // Metrics that stand alone are put under their kind, which cannot be chosen.
  function nestKinds() {
    const places = new Map();
    const parents = [];
    const shown = [];
    const add = (parent, node) => { parents.push(parent); shown.push(node); return shown.length - 1; };
    const groupOf = ({ kind, unit }) => (unit === "ns" ? kind : unit === "bytes" ? "bytes" : "counts");
    metrics.forEach((each, at) => {
      let parent = each.parent < 0 ? -1 : places.get(each.parent);
      if (parent < 0 && !WHOLES.includes(each.name)) {
        const kind = groupOf(each);
        if (!places.has(kind)) places.set(kind, add(-1, { kind }));
        parent = places.get(kind);
      }
      places.set(at, add(parent, { metric: at }));
    });
    return { parents, shown, placeOf: (at) => places.get(at) };
  }

  // Largest first. The wholes come before the rest, which is sorted by its largest metric.
  function rankMetric(node) {
    const { kind, metric: at } = metricTree.shown[node];
    if (kind) return { counts: -1, bytes: -2 }[kind] || Math.max(...partsOf(node).map(rankMetric));
    const place = WHOLES.indexOf(metrics[at].name);
    return place < 0 ? sums.metric.all[at] : 1e30 * (WHOLES.length - place);
  }

  const partsOf = (node) => metricTree.shown.flatMap((_, at) => (metricTree.parents[at] === node ? [at] : []));

  // --- Sums ---

  function sumMetrics() {
    const own = metrics.map((each, at) => cells.total(at));
    const parents = metrics.map((each) => each.parent);
    sums.metric = { own, all: cells.addUp(own, parents) };
  }

  function chosenMetrics() {
    const isWhole = isSum(metric) || !trees.metric.isOpen(metricTree.placeOf(metric));
    const marks = cells.markBelow(metric, metrics.map((each) => each.parent), isWhole);
    return Array.from(marks.keys()).filter((at) => marks[at]);
  }

  // A whole of parts only, which says their sum even where it is open.
  const isSum = (at) => WHOLES.indexOf(metrics[at].name) > 0;

  function sumPaths() {
    const own = cells.byPath(chosenMetrics());
    const all = cells.addUp(own, paths.parent);
    sums.path = { own, all, whole: own.reduce((sum, value) => sum + value, 0) };
  }

  function sumPlaces() {
    const isIn = path === null ? null : cells.markBelow(path, paths.parent, !trees.path.isOpen(path));
    const own = placeAmounts(cells.byLocation(chosenMetrics(), isIn));
    sums.place = { own, all: cells.addUp(own, system.parent) };
  }

  const placeAmounts = (byLocation) =>
    Array.from(system.location, (location) => (location < 0 ? 0 : byLocation[location]));

  // --- What a row shows ---

  const amountOf = (sum, node, isOpen) => (isOpen ? sum.own : sum.all)[node];

  // "amount", or a share of the metric, or of the time that the metric is part of.
  function write(amount, at, whole) {
    if (mode === "amount") return tracemill.format(amount, unitOf(at));
    if (mode === "share") return amount ? tracemill.formatShare(amount / (whole || 1)) : "0%";
    const all = metrics[at].unit === "ns" ? sums.metric.all[0] : whole;
    return amount ? tracemill.formatShare(amount / (all || 1)) : "0%";
  }

  const unitOf = (at) => ({ ns: "ns", bytes: "bytes" })[metrics[at].unit] || "count";

  function rootOf(at) {
    while (metrics[at].parent >= 0) at = metrics[at].parent;
    return at;
  }

  function describeMetric(node, isOpen) {
    const shown = metricTree.shown[node];
    if (shown.kind) return { name: KINDS[shown.kind], amount: "", share: 0, style: "none" };
    const at = shown.metric;
    const amount = amountOf(sums.metric, at, isOpen && !isSum(at));
    const whole = sums.metric.all[rootOf(at)];
    return {
      name: metrics[at].title, title: metrics[at].meaning, amount: write(amount, at, whole),
      share: amount / (metrics[at].unit === "ns" ? Math.max(sums.metric.all[0], whole) : whole || 1),
    };
  }

  function describePath(node, isOpen) {
    const region = paths.regions[paths.region[node]];
    const source = paths.sources[paths.region[node]];
    const amount = amountOf(sums.path, node, isOpen);
    const { whole } = sums.path;
    return {
      name: tracemill.shorten(paths.shown[paths.region[node]], 100), title: region + (source ? "\n" + source : ""),
      note: siteOf(source, region),
      amount: write(amount, metric, whole), share: whole ? amount / whole : 0,
      isHit: filter.get("region").trim() !== "" && tracemill.passing("region")(region),
    };
  }

  // File and line without folders; nothing without a line, or where the name has it.
  function siteOf(source, name) {
    const [site] = source.match(/[^/\\]+:\d+$/) || [""];
    return name.includes(site) ? "" : site;
  }

  function describePlace(node, isOpen) {
    const amount = amountOf(sums.place, node, isOpen);
    const { whole } = sums.path;
    return {
      name: system.names[node],
      amount: isOpen && system.location[node] < 0 ? "" : write(amount, metric, whole),
      share: whole ? amount / whole : 0,
    };
  }

  // --- Three columns ---

  function makePanel(key, title, parents, describe, onChoose, rank) {
    const box = element("div", { class: "panel", id: stage.dataset.source + "-" + key });
    box.append(element("h4", null, title));
    columns.append(box);
    return tracemill.makeTree(box, { label: title, parents, describe, onChoose, rank });
  }

  function chooseMetric(node) {
    if (node === null || metricTree.shown[node].kind) return;
    metric = metricTree.shown[node].metric;
    selection.set({ metric: metrics[metric].name });
    sumPaths();
    trees.path.refresh();
    choosePlaces();
  }

  function choosePath(node) {
    path = node;
    selection.set({
      callPath: node === null ? null : paths.id[node],
      region: node === null ? null : paths.regionIds[paths.region[node]],
    });
    choosePlaces();
  }

  function choosePlaces() {
    sumPlaces();
    trees.place.refresh();
    say();
  }

  function choosePlace(node) {
    const location = node === null ? -1 : system.location[node];
    selection.set({ place: node, location: location < 0 ? null : system.ids[location] });
    say();
  }

  // In a sentence what is chosen, also for those who listen.
  function say() {
    const place = selection.get("place");
    const where = path === null ? "all call paths" : paths.shown[paths.region[path]];
    const who = place === null ? "all processes" : system.names[place];
    const total = () => sums.place.own.reduce((sum, value) => sum + value, 0);
    const amount = place === null ? total() : sums.place.all[place];
    const chosen = metrics[metric];
    status.replaceChildren(
      element("strong", null, chosen.title), " in ", tracemill.nameElement(where, 80), ", ",
      tracemill.nameElement(who, 80), ": " + tracemill.format(amount, unitOf(metric)) + ". ",
      element("span", { class: "meaning" }, chosen.meaning),
    );
  }

  // Call paths without any of the metric, and places that are filtered, take no row.
  function recount() {
    cells.refilter();
    sumMetrics();
    sumPaths();
    sumPlaces();
    const hides = filter.get("region").trim() !== "" || filter.get("rank").trim() !== "";
    trees.path.hide((node) => !sums.path.all[node]);
    trees.place.hide(hides ? (node) => !sums.place.all[node] : () => false);
    trees.metric.refresh();
    openToHits();
    say();
  }

  // Branches that hold what is searched for, as far as there are not too many.
  function openToHits() {
    if (!filter.get("region").trim()) return;
    const passes = tracemill.passing("region");
    const isHit = paths.regions.map(passes);
    const found = Array.from(paths.parent.keys()).filter((at) => isHit[paths.region[at]]).slice(0, 200);
    const above = new Set();
    for (const node of found) {
      for (let at = paths.parent[node]; at >= 0 && !above.has(at); at = paths.parent[at]) above.add(at);
    }
    trees.path.open(above);
  }

  const toolbar = element("p", { class: "toolbar" },
    element("label", { for: "shown-as" }, "Show"),
    element("select", { id: "shown-as", change: (event) => { mode = event.target.value; recount(); } },
      element("option", { value: "amount" }, "amounts"),
      element("option", { value: "share" }, "percent of the metric"),
      element("option", { value: "time" }, "percent of the whole run")),
    element("span", { class: "hint" }, "Arrow keys: move and open. Enter: select. Escape: clear the selection."));
  const columns = element("div", { class: "panels" });
  const status = element("p", { class: "status", role: "status" });
  stage.append(toolbar, columns, status);

  sumMetrics();
  const trees = {};
  // The trees ask for amounts as soon as they are there.
  const none = new Float64Array(paths.parent.length);
  sums.path = { own: none, all: none, whole: 0 };
  sums.place = { own: placeAmounts([]), all: placeAmounts([]) };
  trees.metric = makePanel("metric", "Metric", metricTree.parents, describeMetric, chooseMetric,
    rankMetric);
  trees.path = makePanel("path", "Call path", paths.parent, describePath, choosePath,
    (node) => sums.path.all[node]);
  trees.place = makePanel("place", "Process and thread", system.parent, describePlace, choosePlace);
  trees.metric.open(metricTree.shown.flatMap((node, at) => (node.kind || isSum(node.metric) ? [at] : [])));
  trees.place.open(Array.from(system.location.keys()).filter((at) => system.location[at] < 0 && system.rank[at] < 0));
  sumPaths();
  trees.path.open(rootsWithMost());
  trees.metric.show(metricTree.placeOf(metric));
  recount();

  // The way down to where most is.
  function rootsWithMost() {
    return Array.from(paths.parent.keys()).filter((at) => paths.parent[at] < 0
      && sums.path.all[at] > sums.path.whole / 20);
  }

  // The next call path of the region that is searched for, from the chosen one on.
  function findNext() {
    const passes = tracemill.passing("region");
    if (!filter.get("region").trim()) return;
    for (let step = 1; step <= paths.parent.length; step++) {
      const at = ((path === null ? -1 : path) + step) % paths.parent.length;
      if (!passes(paths.regions[paths.region[at]])) continue;
      trees.path.show(at);
      choosePath(at);
      return;
    }
  }

  document.addEventListener("find-next", findNext);
  filter.subscribe(recount);
  selection.subscribe((changed) => {
    if (changed.includes("place")) { trees.place.show(selection.get("place")); say(); }
    if (!changed.includes("callPath")) return;
    const node = selection.get("callPath") === null ? null : paths.id.indexOf(selection.get("callPath"));
    if (node === path || node < 0) return;
    path = node;
    trees.path.show(node);
    choosePlaces();
  });
};
