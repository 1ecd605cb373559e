"use strict";
// Runs last: every widget of the page gets its data. `data-ready` on the root says all are drawn.
(async function () {
  async function draw(stage) {
    const source = document.getElementById(stage.dataset.source);
    const data = await tracemill.decode(source.textContent);
    source.remove();
    stage.hidden = false;
    tracemill.widgets[stage.dataset.widget](stage, data);
  }

  // One that fails does not take the others with it, and the page says so.
  async function drawOrSay(stage) {
    try {
      await draw(stage);
    } catch (error) {
      stage.hidden = false;
      stage.replaceChildren("This could not be drawn: " + error.message);
      console.error(error);
    }
  }

  for (const stage of document.querySelectorAll("[data-widget]")) await drawOrSay(stage);
  document.documentElement.dataset.ready = "";
})();
