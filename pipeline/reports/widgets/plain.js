"use strict";
// The data as text: what a widget is at its simplest.
tracemill.widgets.plain = function (element, data) {
  const show = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
  element.append(tracemill.element("pre", null, JSON.stringify(data, (_, value) => show(value))));
};
