"use strict";
// The filter of the page: what is typed hides rows of tables and is told to all widgets.
// Headings with data-filter say what a column holds: region, rank, partner, tag; `from` and `to`
// are ranks of which either may be the partner.
tracemill.startFilter = function () {
  const { element, filter, passing } = tracemill;
  const box = document.getElementById("filter");
  if (!document.querySelector("th[data-filter], [data-widget]")) return;
  const FIELDS = [
    ["region", "Region", "part of name"], ["rank", "Rank", "0-3, 8"],
    ["partner", "Partner", "0-3, 8"], ["tag", "Tag", "7"],
  ].filter(([kind]) => isOf(kind));
  box.hidden = false;
  const inputs = FIELDS.map(([kind, , hint]) => element("input", {
    id: "filter-" + kind, type: "search", placeholder: hint, autocomplete: "off", spellcheck: "false",
    input: (event) => filter.set({ [kind]: event.target.value }), keydown: onKey,
  }));
  const told = element("p", { class: "told", role: "status" });

  box.append(
    element("h2", null, "Search and filter"),
    ...FIELDS.map(([kind, label], at) => element("label", { for: "filter-" + kind }, label, inputs[at])),
    element("button", { type: "button", click: clear }, "Clear filter"), told);

  // Widgets take any filter; tables only those of their columns.
  function isOf(kind) {
    const ends = `th[data-filter="from"]`;
    const others = { region: ".tree", rank: ends, partner: ends, tag: "" }[kind];
    const found = ["[data-widget]", `th[data-filter="${kind}"]`, others].filter(Boolean);
    return document.querySelector(found.join()) !== null;
  }

  // Enter goes from one find to the next.
  function onKey(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    document.dispatchEvent(new CustomEvent("find-next"));
  }

  function clear() {
    inputs.forEach((input) => { input.value = ""; });
    filter.set({ region: "", rank: "", partner: "", tag: "" });
  }

  // "/" goes to the search, as in many programs.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    inputs[0].focus();
  });

  // --- Tables ---

  function filterTables() {
    let count = 0;
    for (const table of document.querySelectorAll("table:has(th[data-filter])")) count += filterTable(table);
    for (const tree of document.querySelectorAll(".tree")) count += filterTree(tree);
    const rows = count === 1 ? "row of tables is" : "rows of tables are";
    told.textContent = isFiltering() ? `${tracemill.formatCount(count)} ${rows} hidden.` : "";
  }

  const isFiltering = () => FIELDS.some(([kind]) => filter.get(kind).trim());

  function filterTable(table) {
    const kinds = Array.from(table.tHead.rows[0].cells, (cell) => cell.dataset.filter);
    const tests = testsOf(kinds);
    let hidden = 0;
    table.classList.toggle("filtered", isFiltering());
    for (const row of table.tBodies[0].rows) {
      row.hidden = !tests.every((test) => test(row.cells));
      if (row.hidden) hidden++;
    }
    return hidden;
  }

  function testsOf(kinds) {
    const tests = [];
    const regions = placesOf(kinds, "region");
    const passes = passing("region");
    if (regions.length) tests.push((cells) => regions.some((at) => passes(fullText(cells[at]))));
    for (const kind of ["rank", "partner", "tag"]) {
      const test = passing(kind);
      for (const at of placesOf(kinds, kind)) tests.push((cells) => test(numberIn(cells[at])));
    }
    const ends = [kinds.indexOf("from"), kinds.indexOf("to")];
    return ends[0] < 0 ? tests : [...tests, (cells) => passesEnds(numberIn(cells[ends[0]]), numberIn(cells[ends[1]]))];
  }

  function passesEnds(from, to) {
    const rank = passing("rank");
    const partner = passing("partner");
    return (rank(from) && partner(to)) || (rank(to) && partner(from));
  }

  const placesOf = (kinds, kind) => kinds.flatMap((each, at) => (each === kind ? [at] : []));

  const numberIn = (cell) => Number(cell.textContent.trim() || NaN);

  // A shortened name carries the longer one as its title.
  function fullText(cell) {
    const titled = cell.querySelector("[title]");
    return cell.textContent + (titled ? " " + titled.title : "");
  }

  // Branches of a nested table stay where they, a caller or a callee pass.
  function filterTree(tree) {
    const passes = passing("region");
    const isAll = !filter.get("region").trim();
    let hidden = 0;
    const visit = (branch, isInside) => {
      const row = branch.matches(".row") ? branch : branch.querySelector(":scope > summary");
      const isIn = isAll || isInside || passes(fullText(row.firstElementChild));
      let isShown = isIn;
      for (const below of branch.querySelectorAll(":scope > details, :scope > div.row")) {
        isShown = visit(below, isIn) || isShown;
      }
      branch.hidden = !isShown;
      if (branch.hidden) hidden++;
      return isShown;
    };
    for (const branch of tree.querySelectorAll(":scope > details, :scope > div.row:not(.head)")) visit(branch, false);
    return hidden;
  }

  filter.subscribe(filterTables);
};
