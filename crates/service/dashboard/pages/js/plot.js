// A plot of the last 15 minutes, with the value under the pointer.

import { h, s, setAttribute, setText, show } from "./dom.js";
import { timeOfDay } from "./format.js";
import { KEPT_MS } from "./history.js";
import { paths } from "./series.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [52, 8, 10, 22];
const MINUTES = [15, 10, 5, 0];

/**
 * A panel with a plot. `format` writes a value, `ceilingOf` gives the end of the axis for the highest
 * one, `nothing` is said where no value is known.
 */
export function makePlot({ title, kind, format, ceilingOf, nothing }) {
  const now = h("span", { class: "plot-now" });
  const note = h("span", { class: "plot-note" });
  const empty = h("p", { class: "plot-nothing" }, nothing);
  const area = s("path", { class: "area" });
  const line = s("path", { class: "line" });
  const grid = s("g", {});
  const cursor = s("line", { class: "cursor" });
  const dot = s("circle", { class: "dot", r: 4 });
  const svg = s("svg", { role: "img" }, grid, area, line, cursor, dot);
  const box = h("div", { class: `plot ${kind}` }, svg, empty);
  const panel = h("section", { class: "panel", "aria-label": title },
    h("div", { class: "panel-head" }, h("h2", {}, title), h("span", { class: "end" }, note, now)),
    h("div", { class: "panel-body" }, box));

  let drawn = null;
  let pointerX = null;
  box.addEventListener("pointermove", (event) => { pointerX = event.clientX - box.getBoundingClientRect().left; point(); });
  box.addEventListener("pointerleave", () => { pointerX = null; point(); });

  function point() {
    const near = pointerX === null || !drawn ? null : nearest(drawn, pointerX);
    show(cursor, near !== null);
    show(dot, near !== null);
    for (const node of [cursor, dot]) setAttribute(node, "visibility", near ? null : "hidden");
    if (near) {
      const { px, py, at, value } = near;
      for (const [name, place] of [["x1", px], ["x2", px], ["y1", TOP], ["y2", drawn.height - BOTTOM]]) setAttribute(cursor, name, place);
      setAttribute(dot, "cx", px);
      setAttribute(dot, "cy", py);
      setText(note, timeOfDay(at));
      setText(now, format(value));
    } else if (drawn) {
      setText(note, drawn.note);
      setText(now, drawn.now);
    }
  }

  /** Draws `pointsOf(bucketMs, buckets)`; `current` is the value now, `text` what it is said as. */
  function draw(nowMs, pointsOf, current, text) {
    const width = Math.max(160, box.clientWidth);
    const height = Math.max(80, box.clientHeight);
    const buckets = Math.min(180, Math.max(45, Math.floor((width - LEFT - RIGHT) / 4)));
    const points = pointsOf(KEPT_MS / buckets, buckets);
    const known = points.filter((one) => one.value !== null);
    const most = Math.max(0, ...known.map((one) => one.value));
    const ceiling = ceilingOf(most);
    const x = (at) => LEFT + ((at - (nowMs - KEPT_MS)) / KEPT_MS) * (width - LEFT - RIGHT);
    const y = (value) => height - BOTTOM - (value / ceiling) * (height - BOTTOM - TOP);
    const drawnPaths = paths(points, x, y, height - BOTTOM);
    setAttribute(svg, "viewBox", `0 0 ${width} ${height}`);
    setAttribute(line, "d", drawnPaths.line);
    setAttribute(area, "d", drawnPaths.area);
    axes(grid, width, height, ceiling, format, y);
    show(empty, known.length === 0);
    const said = text ?? (current === null ? "–" : format(current));
    drawn = {
      height, now: said, note: most > 0 ? `peak ${format(most)}` : "",
      points: known.map((one) => ({ ...one, px: x(one.at), py: y(one.value) })),
    };
    setAttribute(svg, "aria-label", `${title}, last 15 minutes: now ${said}, at most ${format(most)}`);
    point();
  }
  return { panel, draw };
}

function nearest({ points }, px) {
  let best = null;
  for (const one of points) if (best === null || Math.abs(one.px - px) < Math.abs(best.px - px)) best = one;
  return best && Math.abs(best.px - px) < 40 ? best : null;
}

function axes(grid, width, height, ceiling, format, y) {
  const signature = `${width}/${height}/${ceiling}`;
  if (grid.dataset.drawn === signature) return;
  grid.dataset.drawn = signature;
  const lines = [0, 0.5, 1].map((part) => {
    const place = Math.round(y(part * ceiling)) + 0.5;
    return [
      s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: place, y2: place }),
      s("text", { x: LEFT - 8, y: place + 4, "text-anchor": "end" }, format(part * ceiling)),
    ];
  });
  const times = MINUTES.map((minutes) => {
    const place = LEFT + (1 - (minutes * 60_000) / KEPT_MS) * (width - LEFT - RIGHT);
    const anchor = minutes === 15 ? "start" : minutes === 0 ? "end" : "middle";
    return s("text", { x: place, y: height - 4, "text-anchor": anchor }, minutes === 0 ? "now" : `−${minutes} min`);
  });
  grid.replaceChildren(...lines.flat(), ...times);
}
