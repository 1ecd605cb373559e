"use strict";
// Colors and patterns of a timeline, as the page has them now: a function that reads them into `look`.
tracemill.timelineColors = function (context, scene, look) {
  const { element } = tracemill;
  return readColors;

  function readColors() {
    const colors = scene.colors.map(tracemill.color);
    const passes = tracemill.passing("region");
    const chosen = tracemill.selection.get("region");
    const isShown = scene.regions.name.map(
      (name, region) => passes(name) && (chosen === null || scene.regions.id[region] === chosen));
    const page = tracemill.color("--page");
    const passesTag = tracemill.passing("tag");
    const passesPartner = tracemill.passing("partner");
    const rank = scene.locations.rank;
    look.alpha = (region) => isShown[region] ? 1 : 0.15;
    Object.assign(look, {
      color: (region) => colors[region],
      passesMessage: (messages, at) => passesTag(messages.tag[at])
        && (passesPartner(rank[messages.to[at]]) || passesPartner(rank[messages.from[at]])),
      shades: shadesOf(colors.map(readColor), readColor(page), look.alpha),
      pagePixel: pixelOf(readColor(page)), page, ink: tracemill.color("--ink"),
      soft: tracemill.color("--soft"), accent: tracemill.color("--accent"),
      path: tracemill.color("--path"),
      grounds: colors.map((color, region) => tracemill.mix(page, color, look.alpha(region))),
    });
    look.inks = look.grounds.map(tracemill.inkOn);
    look.hatch = hatchOf(tracemill.color("--wait"));
  }

  // Red, green and blue of a color of the page.
  function readColor(color) {
    context.fillStyle = color;
    const value = parseInt(context.fillStyle.slice(1), 16);
    return [value >> 16, value >> 8 & 255, value & 255];
  }

  // Pixels by region and share of the bin, from 0 to 15: the less, the more of the page shines through.
  function shadesOf(colors, page, alpha) {
    const shades = new Uint32Array(colors.length * 16);
    for (let at = 0; at < shades.length; at++) {
      const region = at >> 4;
      const part = alpha(region) * (0.4 + 0.6 * (at & 15) / 15);
      const mixed = page.map((level, place) => Math.round(level + (colors[region][place] - level) * part));
      shades[at] = pixelOf(mixed);
    }
    return shades;
  }

  function pixelOf([red, green, blue]) {
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  }

  function hatchOf(color) {
    const tile = element("canvas", { width: 6, height: 6 });
    const brush = tile.getContext("2d");
    brush.strokeStyle = color;
    brush.lineWidth = 1.6;
    for (const shift of [-6, 0, 6]) {
      brush.moveTo(shift - 1, 7);
      brush.lineTo(shift + 7, -1);
    }
    brush.stroke();
    const pattern = context.createPattern(tile, "repeat");
    return () => pattern;
  }
};
