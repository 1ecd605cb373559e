"use strict";
// The timeline of a run: what every location did when, zoomed and moved through by mouse or keys.
tracemill.widgets.timeline = function (stage, data) {
  const { element, formatTime } = tracemill;
  const { build } = tracemill.timelineScene;
  const { draw } = tracemill.timelineDraw;
  const { canFold } = tracemill.timelineArrange;
  const find = tracemill.timelineFind;
  const above = tracemill.timelineLanes;
  const TALLEST = 285, SHORTEST_NS = 20, SETTLED_MS = 250;
  const KEYS = "Keys, when the timeline has the focus: + and −: zoom; ← and →: move; ↑ and ↓: select a row, or a lane above "
    + "the rows; "
    + "comma and period: previous and next call, or part of a lane; Enter: show the whole call; Home: show the whole run; "
    + "[ and ]: decrease and increase the row height; space: fold or unfold the processes of a node, or the threads and "
    + "streams of a process. Mouse: drag to move; click, then use the wheel to zoom; click on a name to fold.";

  const scene = build(data);
  const view = { begin: 0, end: scene.length, top: 0, rowHeight: 16, left: 84, width: 100, height: 100,
    rows: [], placeOf: {}, folded: new Set(), head: 36 };
  const look = { show: { waits: true, messages: true, collectives: true, path: true },
    row: null, lane: null, chosen: null, hasFocus: false };
  for (const lane of scene.lanes) look.show[lane.key] = above.isOpen(scene, lane);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const spacer = element("div");
  const lanes = element("div", { class: "lanes", tabindex: "0", role: "application",
    "aria-label": "Timeline of " + scene.tree.count + " rows over " + formatTime(scene.length)
      + ". Details of the selection are below." }, canvas, spacer);
  const tell = element("p", { class: "tell", "aria-live": "polite" });
  const lack = element("p", { class: "lack", hidden: true });
  const tip = element("p", { class: "tip", hidden: true, "aria-hidden": "true" });
  const places = placeList();
  const folds = tracemill.timelineFolds(scene, view, roomOf, { resize, chooseRow: chooseRowAlone });
  const context = canvas.getContext("2d");
  const readColors = tracemill.timelineColors(context, scene, look);
  let isDue = false;
  let settling = 0;
  let pointed = null;
  let isPointing = false;

  stage.append(element("div", { class: "timeline" }, toolbar(), lanes, tip, ...counterList(), lack, tell, legend(),
    element("details", { class: "keys" }, element("summary", {}, "Keys and mouse"), element("p", {}, KEYS))));
  readColors();
  folds.open();
  listen();
  say();
  if (scene.opened.end > scene.opened.begin) show(scene.opened.begin, scene.opened.end);

  // --- Parts of the page ---

  function toolbar() {
    const button = (label, title, act) =>
      element("button", { type: "button", title, "aria-label": title, click: act }, label);
    const box = (key, label) => element("label", {},
      checkbox(key), " " + label);
    return element("div", { class: "tools" },
      button("Main part", "Show the run without MPI setup", () => show(data.main.begin, data.main.end)),
      button("Whole run", "Show the whole run", () => show(0, scene.length)),
      button("−", "Zoom out", () => zoom(2)), button("+", "Zoom in", () => zoom(0.5)),
      button("←", "Move to earlier times", () => move(-0.25)), button("→", "Move to later times", () => move(0.25)),
      places, ...(folds.list ? [folds.list] : []), box("waits", "Waiting"), box("messages", "Messages"),
      box("collectives", "Collectives"), box("path", "Critical path"),
      ...scene.lanes.filter((lane) => !lane.isCounter).map((lane) => box(lane.key, lane.label)));
  }

  function checkbox(key) {
    return element("input", { type: "checkbox", checked: look.show[key], change(event) {
      look.show[key] = event.target.checked;
      look.lane = null;
      resize();
    } });
  }

  function counterList() {
    const counters = scene.lanes.filter((lane) => lane.isCounter);
    if (!counters.length) return [];
    return [element("details", { class: "counters" }, element("summary", {}, "Counters: " + counters.length + ", select which have a lane"), ...counters.map((lane) =>
      element("label", {}, checkbox(lane.key), " ", tracemill.nameElement(lane.label, 60))))];
  }

  // Windows that were asked for, then waits and parts of the critical path that matter most. The
  // list keeps what it went to until one looks elsewhere.
  function placeList() {
    const options = data.windows.filter((window) => window.isRequested).map((window) => ({
      begin: window.begin, length: window.end - window.begin,
      label: "Window " + find.boundsOf(scene, window),
    }));
    for (const place of data.places) options.push(Object.assign({ label: find.nameOf(scene, place) }, place));
    const list = element("select", { "aria-label": "Go to", change() {
      const at = list.selectedIndex;
      if (at) visitPlace(options[at - 1]);
      list.selectedIndex = at;
    } }, element("option", {}, "Go to …"));
    for (const option of options) list.append(element("option", {}, option.label));
    return list;
  }

  function visitPlace(place) {
    show(place.begin - place.length * 0.15, place.begin + place.length * 1.15);
    choose(place.kind ? find.atPlace(scene, place) : null);
    if (place.kind) chooseRow(place.row);
    else tell.replaceChildren(place.label);
  }

  function legend() {
    const order = Array.from(scene.weights.keys()).filter((region) => scene.weights[region])
      .sort((one, other) => scene.weights[other] - scene.weights[one]).slice(0, 9);
    return element("ul", { class: "legend" }, ...order.map((region) => {
      const swatch = element("span", { "aria-hidden": "true" });
      swatch.style.background = "var(" + scene.colors[region] + ")";
      return element("li", {}, swatch, tracemill.nameElement(scene.regions.shown[region], 40, scene.regions.name[region]));
    }));
  }

  // --- Where one looks ---

  function show(begin, end) {
    const length = Math.min(Math.max(end - begin, SHORTEST_NS), scene.length);
    view.begin = Math.min(Math.max(begin, 0), scene.length - length);
    view.end = view.begin + length;
    places.selectedIndex = 0;
    clearTimeout(settling);
    settling = setTimeout(tellWindow, SETTLED_MS);
    refresh();
  }

  function tellWindow() {
    const isWhole = view.end - view.begin >= scene.length;
    const window = { begin: view.begin + scene.begin, end: view.end + scene.begin };
    tracemill.selection.set({ window: isWhole ? null : window });
  }

  function zoom(factor, at) {
    const middle = at === undefined ? (view.begin + view.end) / 2 : at;
    show(middle - (middle - view.begin) * factor, middle + (view.end - middle) * factor);
  }

  function move(part) {
    const by = (view.end - view.begin) * part;
    show(view.begin + by, view.end + by);
  }

  function chooseRow(row) {
    look.row = row;
    look.lane = null;
    folds.reveal(row);
    const top = (view.placeOf[row] || 0) * view.rowHeight;
    const room = view.height - view.head - view.rowHeight;
    if (lanes.scrollTop > top) lanes.scrollTop = top;
    if (lanes.scrollTop < top - room) lanes.scrollTop = top - room;
    refresh();
  }

  // A row without any of its calls.
  function chooseRowAlone(row) {
    look.chosen = null;
    chooseRow(row);
    sayRow();
  }

  function choose(found) {
    look.chosen = found;
    look.lane = found && found.kind === "lane" ? view.lanes.indexOf(found.lane) : null;
    if (found && look.lane === null) {
      look.row = found.row;
      if (found.row < scene.tree.count) tracemill.selection.set({ location: scene.locations.id[found.row] });
    }
    say();
    refresh();
  }

  function say() {
    if (!look.chosen) {
      const detail = scene.windows.length ? " Marks on the ruler show windows with single calls." : "";
      tell.replaceChildren("No selection: click a row." + detail);
      return;
    }
    tell.replaceChildren(...inWords(look.chosen, 240));
  }

  function sayRow() {
    const row = look.row;
    const { members } = scene.tree.items[row];
    const folds = !canFold(scene.tree, row) ? ""
      : ", " + (view.folded.has(row) ? "folded" : "unfolded") + ", " + members.length + " rows";
    tell.replaceChildren("Row " + (view.placeOf[row] + 1) + " of " + view.rows.length + ": ",
      tracemill.nameElement(find.placeOf(scene, row)), folds);
  }

  function inWords(found, longest) {
    return find.describe(scene, found).flatMap(([name, value, whole]) => [
      element("span", {}, name ? name + " " : null), tracemill.nameElement(value, longest, whole), "  ",
    ]);
  }

  // What the shown windows lack, as it would be too much to draw.
  function sayLack() {
    const lacking = scene.windows.filter((window) =>
      window.leftOut && window.begin < view.end && window.end > view.begin);
    const text = lacking.map((window) => window.leftOut + " from " + find.boundsOf(scene, window)).join("; ");
    lack.hidden = !text;
    if (text) lack.textContent = "Not all events are drawn: " + text + ".";
  }

  // --- What the mouse points at, beside it ---

  function hover(event) {
    pointed = event.buttons ? null : { x: event.clientX, y: event.clientY };
    if (isPointing) return;
    isPointing = true;
    requestAnimationFrame(() => { isPointing = false; showTip(); });
  }

  function leave() {
    pointed = null;
    tip.hidden = true;
  }

  function showTip() {
    const box = canvas.getBoundingClientRect();
    const found = pointed && find.under(scene, view, look, pointed.x - box.left, pointed.y - box.top);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(...inWords(found, 80));
    tracemill.placeTip(tip, pointed.x, pointed.y);
  }

  // --- Drawing: once per frame at most ---

  // The height of the rows in view.
  function roomOf() {
    above.arrange(scene, view, look);
    return TALLEST - view.head + view.more;
  }

  function refresh() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(paint);
  }

  function paint() {
    isDue = false;
    view.top = lanes.scrollTop;
    sayLack();
    draw(context, scene, view, look);
  }

  function resize() {
    const room = roomOf();
    const all = view.head + view.rows.length * view.rowHeight;
    const height = Math.min(all, view.head + room);
    const scale = window.devicePixelRatio || 1;
    lanes.style.height = height + "px";
    spacer.style.height = all - height + "px";
    const width = Math.max(lanes.clientWidth, 200);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const size = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) { // which clears it
      [canvas.width, canvas.height] = size;
      context.setTransform(scale, 0, 0, scale, 0, 0);
    }
    Object.assign(view, { width: width - view.left, height });
    refresh();
  }

  // --- What people do ---

  function listen() {
    lanes.addEventListener("scroll", refresh);
    lanes.addEventListener("keydown", press);
    lanes.addEventListener("wheel", turn, { passive: false });
    lanes.addEventListener("pointerdown", grab);
    lanes.addEventListener("pointermove", hover);
    for (const name of ["pointerdown", "pointerleave", "wheel"]) lanes.addEventListener(name, leave);
    addEventListener("scroll", leave, { passive: true });
    for (const name of ["focus", "blur"]) {
      lanes.addEventListener(name, () => { look.hasFocus = name === "focus"; refresh(); });
    }
    new ResizeObserver(resize).observe(stage);
    tracemill.onColors(() => { readColors(); refresh(); });
    matchMedia("print").addEventListener("change", () => { readColors(); paint(); }); // no frame comes before
    tracemill.filter.subscribe(() => { readColors(); folds.settle(); });
    tracemill.selection.subscribe((changed) => {
      if (changed.includes("region")) { readColors(); refresh(); }
      if (changed.includes("location")) chooseLocation(tracemill.selection.get("location"));
    });
  }

  function chooseLocation(location) {
    const row = location === null ? -1 : scene.locations.id.indexOf(location);
    if (row >= 0 && row !== look.row) chooseRow(row);
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: () => show(0, scene.length),
      ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1),
      ArrowUp: () => step(-1), ArrowDown: () => step(1),
      ",": () => choose(beside(-1)), ".": () => choose(beside(1)),
      "[": () => stretch(1 / 1.4), "]": () => stretch(1.4), Enter: showChosen, " ": () => folds.toggleNear(rowNow()),
      Escape: () => choose(null),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  function beside(by) {
    return look.lane === null ? find.beside(scene, view, rowNow(), look.chosen, by)
      : above.beside(scene, view, look, look.lane, look.chosen, by);
  }

  function rowNow() {
    const place = look.row === null ? undefined : view.placeOf[look.row];
    return view.rows[place === undefined ? 0 : place];
  }

  function step(by) {
    const place = look.row === null ? undefined : view.placeOf[look.row];
    if (look.lane !== null ? look.lane + by < view.lanes.length : by < 0 && !place && view.lanes.length) {
      chooseLane(look.lane === null ? view.lanes.length - 1 : Math.max(look.lane + by, 0));
      return;
    }
    if (look.lane !== null) { chooseRowAlone(view.rows[0]); return; }
    const next = Math.min(Math.max((place === undefined ? -1 : place) + by, 0), view.rows.length - 1);
    if (view.rows[next] === undefined) return;
    chooseRowAlone(view.rows[next]);
  }

  function chooseLane(lane) {
    look.chosen = null;
    look.lane = lane;
    const [name, rest] = above.say(scene, view, look, lane);
    tell.replaceChildren(tracemill.nameElement(name, 100), rest);
    refresh();
  }

  function stretch(factor) {
    view.rowHeight = Math.max(4, Math.min(160, Math.round(view.rowHeight * factor)));
    resize();
  }

  function showChosen() {
    const found = look.chosen || beside(0);
    if (!found) return;
    choose(found);
    const length = found.end - found.begin;
    show(found.begin - length * 0.2, found.end + length * 0.2);
  }

  function turn(event) {
    if (!look.hasFocus && !event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      move((event.deltaX || event.deltaY) / view.width);
    } else zoom(Math.exp(event.deltaY * 0.002), timeAt(event));
  }

  // On a name: fold or unfold, or choose the row; else choose what is there.
  function click(x, y) {
    const row = x < view.left ? find.rowAt(view, y) : undefined;
    if (row === undefined) { choose(find.under(scene, view, look, x, y)); return; }
    if (canFold(scene.tree, row)) { folds.toggleNear(row); return; }
    chooseRowAlone(row);
  }

  function timeAt(event) {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    return view.begin + (x - view.left) / view.width * (view.end - view.begin);
  }

  // Drag to move in time and over rows; without moving it is a click, which chooses.
  function grab(event) {
    if (event.button || event.offsetX > lanes.clientWidth) return;
    const from = { x: event.clientX, y: event.clientY, begin: view.begin, top: lanes.scrollTop };
    let hasMoved = false;
    const drag = (moved) => {
      const dx = moved.clientX - from.x;
      hasMoved = hasMoved || Math.hypot(dx, moved.clientY - from.y) > 4;
      if (!hasMoved) return;
      const length = view.end - view.begin;
      const begin = from.begin - dx / view.width * length;
      lanes.scrollTop = from.top - (moved.clientY - from.y);
      show(begin, begin + length);
    };
    const drop = (last) => {
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      const box = canvas.getBoundingClientRect();
      if (!hasMoved) click(last.clientX - box.left, last.clientY - box.top);
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop);
  }
};
