"use strict";
// What the widgets of a page share: their data, what is chosen and filtered, elements, amounts.
// A widget is `tracemill.widgets.<name> = function (element, data) { ... }`, called once.
const tracemill = (function () {
  const ARRAYS = {
    u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array,
    f4: Float32Array, f8: Float64Array,
  };

  // --- Data: the counterpart of embedding.py ---

  async function decode(text) {
    return unpack(JSON.parse(text));
  }

  async function unpack(value) {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return Promise.all(value.map(unpack));
    if (value.$ === "text") return JSON.parse(new TextDecoder().decode(await inflate(value.z)));
    if (typeof value.$ === "string") return unpackArray(value);
    const entries = Object.entries(value);
    const values = await Promise.all(entries.map((entry) => unpack(entry[1])));
    return Object.fromEntries(entries.map((entry, at) => [entry[0], values[at]]));
  }

  async function inflate(text) {
    const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function unpackArray(packed) {
    const Type = ARRAYS[packed.$];
    if (packed.v) return new Type(packed.v);
    const width = Type.BYTES_PER_ELEMENT;
    const planes = await inflate(packed.z);
    const bytes = new Uint8Array(planes.length);
    for (let plane = 0; plane < width; plane++) {
      for (let at = 0; at < packed.n; at++) bytes[at * width + plane] = planes[plane * packed.n + at];
    }
    const values = new Type(bytes.buffer);
    return packed.steps ? sumSteps(values) : values;
  }

  function sumSteps(steps) {
    const values = new Float64Array(steps.length);
    let sum = 0;
    for (let at = 0; at < steps.length; at++) values[at] = sum += steps[at];
    return values;
  }

  // --- What is chosen and what is filtered: changes are told to all widgets ---

  // `set` takes some keys with new values; listeners get the names of those that changed.
  function makeStore(initial) {
    const values = Object.assign({}, initial);
    const listeners = [];
    return {
      get: (key) => values[key],
      subscribe: (listener) => { listeners.push(listener); },
      set(changes) {
        const changed = Object.keys(changes).filter((key) => values[key] !== changes[key]);
        if (!changed.length) return;
        Object.assign(values, changes);
        listeners.forEach((listener) => listener(changed));
      },
    };
  }

  // Names and numbers as in the tables of the run; null: nothing is chosen.
  // window: {begin, end} in ns since the trace's zero. place: a node of the system tree.
  const selection = makeStore({
    metric: null, callPath: null, region: null, place: null, location: null, window: null,
  });

  // Texts as typed: part of a region's name; numbers such as "0-3, 8".
  const filter = makeStore({ region: "", rank: "", partner: "", tag: "" });

  // Whether a value of a kind (region, rank, partner, tag) passes the filter. Ask once, then
  // test many: const passes = tracemill.passing("rank"); passes(3).
  function passing(kind) {
    const text = filter.get(kind).trim();
    if (!text) return () => true;
    return kind === "region" ? containing(text) : within(text);
  }

  function containing(text) {
    const sought = text.toLowerCase();
    return (name) => name.toLowerCase().includes(sought);
  }

  function within(text) {
    const ranges = text.split(/[\s,;]+/).filter(Boolean).map(readRange);
    return (number) => ranges.some((range) => range[0] <= number && number <= range[1]);
  }

  function readRange(text) {
    const found = /^(-?\d+)(?:(?:-|\.\.)(\d+))?$/.exec(text);
    if (!found) return [NaN, NaN];
    return [Number(found[1]), Number(found[2] === undefined ? found[1] : found[2])];
  }

  // --- Elements: text never becomes markup ---

  // element("td", {class: "n"}, "text", child): strings become text, nothing is left out.
  function element(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
  }

  function fill(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") made.addEventListener(key, value);
      else made.setAttribute(key, value === true ? "" : String(value));
    }
    made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return made;
  }

  // A name from the trace: direction is kept to itself, and a long one loses its middle.
  // A name, shortened if it is longer; the title is the whole name, maybe with more than the text.
  function nameElement(text, longest, whole) {
    const short = shorten(text, longest || 100);
    return element("bdi", { title: short === (whole || text) ? null : shorten(whole || text, 400) }, short);
  }

  function shorten(text, longest) {
    if (text.length <= longest) return text;
    const head = Math.floor((longest - 1) / 3);
    return text.slice(0, head) + "…" + text.slice(text.length - (longest - 1 - head));
  }

  // A color of the page, such as "--accent", as it is now; dark and light differ.
  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  // Calls back when colors may have changed.
  function onColors(listener) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  }

  // Colors are "#rrggbb" or "#rgb", as the style sheet of the page has them.
  function levelsOf(color) {
    const digits = color.length < 7 ? color.slice(1).replace(/./g, "$&$&") : color.slice(1);
    return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  }

  // A ground through which a part of a color from 0 to 1 is seen.
  function mix(ground, color, part) {
    const over = levelsOf(color);
    return "#" + levelsOf(ground).map((level, at) =>
      Math.round(level + (over[at] - level) * part).toString(16).padStart(2, "0")).join("");
  }

  // Black or white, which is easier to read on a color: its contrast is 4.5:1 at least.
  // Relative luminance as WCAG 2 defines it; both contrasts are equal at 0.179.
  function inkOn(color) {
    const [red, green, blue] = levelsOf(color).map((level) =>
      level <= 10 ? level / 255 / 12.92 : ((level / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
  }

  // Beside the mouse, within the window.
  function placeTip(tip, x, y) {
    const left = x + 16 + tip.offsetWidth > innerWidth ? x - tip.offsetWidth - 8 : x + 16;
    const top = y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 8 : y + 18;
    tip.style.left = Math.max(left, 0) + "px";
    tip.style.top = Math.max(top, 0) + "px";
  }

  // --- Queries to take along ---

  function addCopyButtons() {
    for (const code of document.querySelectorAll(".sql pre > code")) {
      const button = element("button", {
        type: "button", class: "copy", click: () => copy(code, button),
      }, "Copy");
      code.parentNode.before(button);
    }
  }

  async function copy(code, button) {
    button.textContent = await isCopied(code) ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  // Where the clipboard may not be written, the query is selected for the reader's own keys.
  async function isCopied(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  }

  // --- Amounts, as the tables of the page write them ---

  const TIMES = [[1e9, "s", 4], [1e6, "ms", 3], [1e3, "µs", 3], [1, "ns", 3]];
  const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

  function formatTime(ns) {
    const step = TIMES.find((each) => Math.abs(ns) >= each[0] * 0.99995);
    return step ? significant(ns / step[0], step[2]) + " " + step[1] : "0 s";
  }

  function formatSize(bytes) {
    let power = 0;
    while (Math.abs(bytes) >= 1023.95 && power < SIZES.length - 1) { bytes /= 1024; power++; }
    return (power ? significant(bytes, 3) : bytes.toFixed(0)) + " " + SIZES[power];
  }

  function formatCount(count) {
    return inEnglish(count, 0);
  }

  function formatShare(ratio) {
    const percent = ratio * 100;
    if (percent === 0) return "0%";
    if (Math.abs(percent) < 0.01) return "<0.01%";
    return percent.toFixed(Math.abs(percent) < 0.995 ? 2 : 1) + "%";
  }

  function significant(value, digits) {
    const whole = String(Math.trunc(Math.abs(Number(value.toPrecision(digits))))).length;
    const places = Math.max(0, digits - whole);
    return inEnglish(value, places);
  }

  // Grouped as in the tables, rounded as they are but for exact halves, which go up here. The
  // browser's own way takes long to get ready.
  function inEnglish(value, places) {
    const [whole, part] = value.toFixed(places).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return part ? grouped + "." + part : grouped;
  }

  const FORMATS = { ns: formatTime, bytes: formatSize, count: formatCount, ratio: formatShare };
  const format = (value, unit) => (FORMATS[unit] || formatCount)(value);

  return {
    widgets: {}, decode, selection, filter, passing, element, nameElement, shorten,
    color, onColors, mix, inkOn, placeTip, addCopyButtons,
    format, formatTime, formatSize, formatCount, formatShare,
  };
})();
