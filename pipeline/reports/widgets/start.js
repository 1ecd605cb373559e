"use strict";
// Runs last: every widget of the page gets its data. `data-ready` on the root says all are drawn.
(async function () {
  const decoded = new Map();

  // Several widgets may share data, which are unpacked once.
  async function dataOf(source) {
    if (!decoded.has(source)) {
      const carrier = document.getElementById(source);
      decoded.set(source, await tracemill.decode(carrier.textContent));
      carrier.remove();
    }
    return decoded.get(source);
  }

  // One that fails does not take the others with it, and the page says so.
  async function drawOrSay(stage) {
    try {
      const data = await dataOf(stage.dataset.source);
      stage.hidden = false;
      tracemill.widgets[stage.dataset.widget](stage, data);
    } catch (error) {
      stage.hidden = false;
      stage.replaceChildren("This figure could not be drawn: " + error.message);
      console.error(error);
    }
  }

  tracemill.startFilter();
  tracemill.addCopyButtons();
  tracemill.startTables();
  for (const stage of document.querySelectorAll("[data-widget]")) await drawOrSay(stage);
  document.documentElement.dataset.ready = "";
})();
