// What became of the events of a lane.

import { h, setAttribute, setText } from "../dom.js";
import { count } from "../format.js";

const COUNTS = [
  ["read", "Read"], ["applied", "Applied"], ["stale", "Stale"], ["unmatched", "Unmatched"], ["filtered", "Filtered"],
  ["ignored", "Ignored"], ["skipped", "Skipped"], ["dead_lettered", "Dead letters"], ["parked", "Parked"],
  ["pending", "Pending"], ["folded", "Folded"], ["malformed", "Malformed"],
];

const SHARES = [
  ["applied", ["applied"]],
  ["passed", ["stale", "unmatched", "filtered", "ignored"]],
  ["lost", ["skipped", "dead_lettered", "parked"]],
  ["pending", ["pending"]],
];

export function makeCounts() {
  const cells = COUNTS.map(([name, text]) => [name, h("div", { "data-count": name }, h("dt", {}, text), h("dd", {}))]);
  const shares = SHARES.map(([kind, names]) => [names, h("span", { class: kind })]);
  const bar = h("div", { class: "shares", role: "img" }, shares.map(([, node]) => node));
  const panel = h("section", { class: "panel", "aria-label": "What became of the events" },
    h("div", { class: "panel-head" }, h("h2", {}, "What became of the events")),
    h("div", { class: "panel-body" }, bar, h("dl", { class: "counts" }, cells.map(([, node]) => node))));
  function update(counters) {
    for (const [name, node] of cells) {
      setText(node.lastElementChild, count(counters[name]));
      setAttribute(node, "class", counters[name] === 0 ? "zero" : null);
    }
    for (const [names, node] of shares) {
      const share = names.reduce((sum, name) => sum + counters[name], 0);
      node.style.flexGrow = String(share);
      node.hidden = share === 0;
    }
    const part = counters.read ? Math.round((counters.applied / counters.read) * 100) : 0;
    setAttribute(bar, "aria-label", `${part} % of the events were applied`);
  }
  return { panel, update };
}
