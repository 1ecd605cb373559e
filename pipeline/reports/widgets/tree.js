"use strict";
// A tree to choose in, with an amount per node: only rows in sight are elements, however many
// there are. Keys are those of trees in general: arrows, Home, End, Enter, *, letters to find.
tracemill.makeTree = function (box, options) {
  const ROW = 24;
  const { element } = tracemill;
  const { parents, describe, label } = options;
  const children = collectChildren(parents);
  const open = new Set();
  let rows = []; // [node, level] of what is not inside a closed branch
  let isHidden = () => false;
  let focus = 0; // a row
  let chosen = null; // a node
  let typed = "";
  // To ask the box itself after each change would lay out the whole page each time.
  let top = 0;
  let height = 0; // 0: not known yet

  const list = element("div", { class: "tree-rows", role: "presentation" });
  const tree = element("div", {
    class: "tree-box", role: "tree", tabindex: "0", "aria-label": label,
    keydown: onKey, scroll: () => { top = tree.scrollTop; draw(); }, click: onClick,
  }, list);
  box.append(tree);
  new ResizeObserver(() => { height = tree.clientHeight; draw(); }).observe(tree);

  function collectChildren(parents) {
    const found = new Map([[-1, []]]);
    parents.forEach((parent, node) => {
      if (!found.has(parent)) found.set(parent, []);
      found.get(parent).push(node);
    });
    return found;
  }

  const childrenOf = (node) => (children.get(node) || []).filter((child) => !isHidden(child));

  // Largest first where the caller wants it so; deep trees must not exhaust the stack.
  function layOut() {
    rows = [];
    const waiting = ordered(-1).reverse().map((node) => [node, 1]);
    while (waiting.length) {
      const [node, level] = waiting.pop();
      rows.push([node, level]);
      if (!open.has(node)) continue;
      for (const child of ordered(node).reverse()) waiting.push([child, level + 1]);
    }
    focus = Math.min(focus, Math.max(0, rows.length - 1));
    list.style.height = rows.length * ROW + "px";
    height ||= tree.clientHeight;
    top = Math.min(top, Math.max(0, rows.length * ROW - height));
    draw();
  }

  function ordered(node) {
    const found = childrenOf(node);
    return options.rank ? found.sort((a, b) => options.rank(b) - options.rank(a)) : found;
  }

  function draw() {
    const first = Math.max(0, Math.floor(top / ROW) - 5);
    const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + 5);
    const made = [];
    for (let at = first; at < last; at++) made.push(drawRow(at));
    if (focus < first || focus >= last) { if (rows.length) made.push(drawRow(focus)); }
    list.replaceChildren(...made);
    tree.setAttribute("aria-activedescendant", rows.length ? idOf(rows[focus][0]) : "");
  }

  const idOf = (node) => box.id + "-" + node;

  function drawRow(at) {
    const [node, level] = rows[at];
    const isOpen = open.has(node);
    const hasParts = childrenOf(node).length > 0;
    const shown = describe(node, isOpen);
    const row = element("div", {
      id: idOf(node), class: "tree-row" + (at === focus ? " focus" : "") + (shown.isHit ? " hit" : ""),
      role: "treeitem", "aria-level": level, "aria-selected": node === chosen ? "true" : "false",
      "aria-expanded": hasParts ? String(isOpen) : null, "data-row": at, title: shown.title,
    },
    element("span", { class: "twist", "aria-hidden": "true" }, hasParts ? (isOpen ? "▾" : "▸") : ""),
    shown.amount && swatch(shown), shown.amount && element("span", { class: "amount" }, shown.amount),
    element("bdi", null, shown.name), shown.note && element("small", { class: "site" }, shown.note));
    row.style.top = at * ROW + "px";
    row.style.setProperty("--level", Math.min(level - 1, 40));
    return row;
  }

  function swatch(shown) {
    const made = element("span", { class: "swatch " + (shown.style || ""), "aria-hidden": "true" });
    made.style.setProperty("--h", Math.round(Math.sqrt(Math.max(0, shown.share)) * 100) + "%");
    return made;
  }

  // --- Choosing and opening ---

  function choose(at) {
    focus = at;
    const node = rows[at][0];
    chosen = node;
    draw();
    scrollTo(at);
    options.onChoose(node, open.has(node));
  }

  function toggle(at) {
    const node = rows[at][0];
    if (!childrenOf(node).length) return;
    if (!open.delete(node)) open.add(node);
    layOut();
    if (node === chosen) options.onChoose(node, open.has(node));
  }

  function scrollTo(at) {
    const wanted = Math.min(at * ROW, Math.max(top, (at + 1) * ROW - height));
    if (wanted === top) return;
    tree.scrollTop = wanted;
    top = tree.scrollTop;
  }

  function move(at) {
    if (at < 0 || at >= rows.length) return;
    focus = at;
    scrollTo(at);
    draw();
  }

  function onClick(event) {
    const row = event.target.closest("[data-row]");
    if (!row) return;
    const at = Number(row.dataset.row);
    if (event.target.classList.contains("twist")) { focus = at; toggle(at); } else choose(at);
  }

  const KEYS = {
    ArrowDown: () => move(focus + 1),
    ArrowUp: () => move(focus - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    PageDown: () => move(Math.min(rows.length - 1, focus + 10)),
    PageUp: () => move(Math.max(0, focus - 10)),
    ArrowRight: () => (canOpen() ? toggle(focus) : move(focus + 1)),
    ArrowLeft: () => (open.has(rows[focus][0]) ? toggle(focus) : move(rowAbove())),
    Enter: () => choose(focus),
    " ": () => choose(focus),
    "*": () => openBelow(rows[focus][0]),
    Escape: () => clear(),
  };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !rows.length) return;
    if (KEYS[event.key]) KEYS[event.key]();
    else if (event.key.length === 1) find(event.key);
    else return;
    event.preventDefault();
  }

  const canOpen = () => childrenOf(rows[focus][0]).length && !open.has(rows[focus][0]);

  function rowAbove() {
    const parent = parents[rows[focus][0]];
    return rows.findIndex((row) => row[0] === parent);
  }

  // Opens what is below a node, at most so much that it stays quick.
  function openBelow(node) {
    const waiting = [node];
    for (let count = 0; waiting.length && count < 2000; count++) {
      const next = waiting.pop();
      const below = childrenOf(next);
      if (below.length) open.add(next);
      waiting.push(...below);
    }
    layOut();
    if (node === chosen) options.onChoose(node, true);
  }

  // Letters typed quickly one after the other are a name's beginning.
  function find(letter) {
    clearTimeout(find.timer);
    find.timer = setTimeout(() => { typed = ""; }, 700);
    typed += letter.toLowerCase();
    for (let step = typed.length > 1 ? 0 : 1; step <= rows.length; step++) {
      const at = (focus + step) % rows.length;
      if (describe(rows[at][0], false).name.toLowerCase().startsWith(typed)) return move(at);
    }
  }

  function clear() {
    chosen = null;
    draw();
    options.onChoose(null, false);
  }

  // Makes a node visible and chooses it, or takes the choice back, without telling.
  function show(node) {
    chosen = node;
    for (let above = node === null ? -1 : parents[node]; above >= 0; above = parents[above]) open.add(above);
    layOut();
    const at = rows.findIndex((row) => row[0] === node);
    if (at >= 0) { focus = at; scrollTo(at); draw(); }
  }

  return {
    show,
    open: (nodes) => { nodes.forEach((node) => open.add(node)); layOut(); },
    isOpen: (node) => open.has(node),
    refresh: layOut,
    hide: (test) => { isHidden = test; layOut(); },
  };
};
