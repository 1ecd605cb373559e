"use strict";
// Tables and folds of the page: the first rows of long tables, order by any column, one switch for
// all SQL; what a link leads to is unfolded.
tracemill.startTables = function () {
  const { element } = tracemill;
  const FIRST_ROWS = 8, SPARED = 3; // tables.css hides the others
  const UNITS = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9,
    B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50 };

  for (const table of document.querySelectorAll("figure:not(.widget) table:not(.matrix)")) {
    shorten(table);
    table.querySelectorAll("thead th").forEach((head, at) => makeSortable(table, head, at));
  }
  addSwitch();
  document.addEventListener("copy", copyWhole);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) reveal(link.hash);
  });
  addEventListener("hashchange", () => reveal(location.hash));
  reveal(location.hash);

  // --- Long tables ---

  function shorten(table) {
    const count = table.tBodies[0].rows.length;
    if (count <= FIRST_ROWS + SPARED) return;
    const button = element("button", { type: "button", class: "rest", "aria-expanded": "false", click() {
      const isShort = table.classList.toggle("short");
      button.textContent = isShort ? "All " + count + " rows" : "First " + FIRST_ROWS + " rows";
      button.setAttribute("aria-expanded", String(!isShort));
    } }, "All " + count + " rows");
    table.classList.add("short");
    table.closest(".scroll").after(button);
  }

  // --- Order ---

  function makeSortable(table, head, at) {
    const button = element("button", { type: "button", title: head.title || null, click: () => sort(table, head, at) });
    button.append(...head.childNodes);
    head.append(button);
  }

  // Numbers from the largest at first, texts from A; again: the other way.
  function sort(table, head, at) {
    const isNumeric = head.classList.contains("n");
    const before = head.getAttribute("aria-sort");
    const isDown = before ? before === "ascending" : isNumeric;
    const keys = Array.from(table.tBodies[0].rows, (row) => {
      const text = row.cells[at].textContent.trim();
      return [isNumeric ? amountOf(text) : text, row];
    });
    const compare = isNumeric ? (one, other) => one - other : (one, other) => one.localeCompare(other);
    keys.sort((one, other) => (isDown ? -1 : 1) * compare(one[0], other[0]));
    table.tBodies[0].append(...keys.map((each) => each[1]));
    for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  }

  // What a cell says as a number: "1,204", "+12.5%", "3.20 ms", "1.2e-05". What says none comes last
  // at first.
  function amountOf(text) {
    const found = /^[<+−×-]?\s*([\d,.]+(?:e[+-]?\d+)?)\s*(\S*)/.exec(text);
    if (!found) return -Infinity;
    const sign = /^[−-]/.test(text) ? -1 : 1;
    const amount = Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] || 1);
    return sign * (text.startsWith("<") ? amount / 2 : amount);
  }

  // --- Call paths ---

  // A path is one word in what is copied, although it stands in two boxes.
  function copyWhole(event) {
    const text = String(getSelection());
    if (!text.includes("\u2060")) return;
    event.clipboardData.setData("text/plain", text.replace(/\u2060\n?/g, ""));
    event.preventDefault();
  }

  // --- SQL ---

  function addSwitch() {
    const box = document.getElementById("filter");
    if (!document.querySelector(".sql")) return;
    box.hidden = false;
    box.append(element("label", { class: "switch" }, element("input", { type: "checkbox", id: "show-sql", change(event) {
      document.body.classList.toggle("with-sql", event.target.checked);
    } }), " Show SQL"));
  }

  // --- Folds ---

  function reveal(hash) {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!target) return;
    const own = target.matches("section") ? target.querySelector(":scope > details.fold") : null;
    for (let fold = own || target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    const table = target.closest("table.short");
    if (table) table.closest(".scroll").nextElementSibling.click();
    target.scrollIntoView();
  }
};
