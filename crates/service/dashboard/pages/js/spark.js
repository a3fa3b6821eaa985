// The rate of the last two minutes, small.

import { s, setAttribute } from "./dom.js";
import { SPARK_MS } from "./history.js";
import { niceCeiling, paths, rates } from "./series.js";

const [WIDTH, HEIGHT, BUCKETS] = [120, 26, 40];

export function makeSpark() {
  return s("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("path", { class: "flat", d: `M0 ${HEIGHT - 1.5}H${WIDTH}` }), s("path", { class: "area" }), s("path", { class: "line" }));
}

export function drawSpark(svg, samples, nowMs) {
  const points = rates(samples, nowMs, SPARK_MS / BUCKETS, BUCKETS);
  const most = Math.max(...points.map((point) => point.value ?? 0));
  const top = niceCeiling(most);
  const x = (at) => ((at - (nowMs - SPARK_MS)) / SPARK_MS) * WIDTH;
  const y = (value) => HEIGHT - 1.5 - (value / top) * (HEIGHT - 4);
  const { line, area } = most > 0 ? paths(points, x, y, HEIGHT - 1) : { line: "", area: "" };
  const [, fillPath, linePath] = svg.children;
  setAttribute(fillPath, "d", area);
  setAttribute(linePath, "d", line);
}
