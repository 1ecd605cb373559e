"use strict";
// Which rows of a timeline are folded, and how high rows are.
tracemill.timelineFolds = function (scene, view, roomOf, act) {
  const { arrange, canFold, levelsOf } = tracemill.timelineArrange;
  const { element } = tracemill;
  const LOWEST = 3.5, LABELED = 12, HIGHEST = 72;
  const levels = levelsOf(scene.tree);
  const list = makeList();

  function makeList() {
    if (levels.length < 2) return null;
    const made = element("select", { "aria-label": "Rows", change() {
      if (made.selectedIndex) fold(made.selectedIndex - 1);
    } }, element("option", {}, "Rows …"));
    for (const [name] of levels) made.append(element("option", {}, name));
    return made;
  }

  // The level with the most rows that fit, or else the one with the fewest.
  function fittingLevel() {
    const fits = levels.map((_, at) => {
      view.folded = new Set(levels[at][1]);
      arrange(scene, view, tracemill.passing("rank"));
      return view.rows.length * LOWEST <= roomOf();
    });
    return Math.max(fits.lastIndexOf(true), 0);
  }

  function fold(level) {
    view.folded = new Set(levels[level][1]);
    if (list) list.selectedIndex = level + 1;
    settle();
  }

  function toggle(item) {
    if (!view.folded.delete(item)) view.folded.add(item);
    if (list) list.selectedIndex = 0;
    settle();
  }

  // Fold or unfold a row, or what it is part of.
  function toggleNear(row) {
    const parent = scene.tree.items[row].parent;
    const item = canFold(scene.tree, row) ? row : parent;
    if (item < 0) return;
    toggle(item);
    act.chooseRow(item);
  }

  function reveal(row) {
    let hasChanged = false;
    for (let at = scene.tree.items[row].parent; at >= 0; at = scene.tree.items[at].parent) {
      hasChanged = view.folded.delete(at) || hasChanged;
    }
    if (!hasChanged) return;
    if (list) list.selectedIndex = 0;
    settle();
  }

  function settle() {
    arrange(scene, view, tracemill.passing("rank"));
    const fitting = roomOf() / Math.max(view.rows.length, 1);
    view.rowHeight = fitting < LOWEST ? LABELED : Math.min(HIGHEST, fitting < LABELED ? fitting : Math.floor(fitting));
    act.resize();
  }

  return { list, open: () => fold(fittingLevel()), settle, reveal, toggleNear };
};
