// The list of all lanes.

import { breakable, h, keyed, setAttribute, setText, show } from "../dom.js";
import { ago, compact, count, lag, moment, rate } from "../format.js";
import { samples } from "../history.js";
import { listen } from "../live.js";
import { drawSpark, makeSpark } from "../spark.js";
import { fails, label, moves, tone } from "../states.js";

const HEADINGS = [["Projection"], ["State"], ["Events", "number"], ["Lag", "number"], ["Dead letters", "number"], ["Last commit", "number updated"]];

export const laneAddress = (name, key) => `#/p/${encodeURIComponent(name)}/${encodeURIComponent(key)}`;
export const lettersAddress = (name) => `#/dead-letters/${encodeURIComponent(name)}`;

export function mountList(main) {
  document.title = "Projections · projectionist";
  const totals = h("dl", { class: "totals", "aria-label": "All projections together" });
  const body = h("tbody", {});
  const table = h("table", { class: "lanes" },
    h("caption", { class: "sr-only" }, "Projections"),
    h("thead", {}, h("tr", {}, HEADINGS.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), body);
  const empty = h("p", { class: "empty" }, "Reading…");
  main.append(h("h1", { class: "sr-only" }, "Projections"), totals, h("section", { class: "panel", "aria-label": "Projections" }, table, empty));
  show(table, false);

  return listen((overview) => {
    if (!overview) return;
    const { lanes, at_ms: nowMs } = overview;
    drawTotals(totals, lanes);
    show(table, lanes.length > 0);
    show(empty, lanes.length === 0);
    setText(empty, "No projection has run into this store yet.");
    keyed(body, lanes, (lane) => JSON.stringify([lane.name, lane.key]), makeRow, (row, lane) => drawRow(row, lane, nowMs));
  });
}

function drawTotals(place, lanes) {
  const sum = (of) => lanes.reduce((all, lane) => all + of(lane), 0);
  const failing = lanes.filter((lane) => fails(lane.state)).length;
  const letters = sum((lane) => lane.counters.dead_lettered);
  const all = [
    ["Projections", count(lanes.length)],
    ["Moving", count(lanes.filter((lane) => moves(lane.state)).length)],
    ["Paused", count(lanes.filter((lane) => lane.state === "paused").length)],
    ["In trouble", count(failing), failing ? "bad" : null],
    ["Dead letters", compact(letters), letters ? "warn" : null],
    ["Events", rate(sum((lane) => lane.events_per_second))],
  ];
  keyed(place, all, ([name]) => name,
    ([name]) => h("div", { class: "total" }, h("dt", {}, name), h("dd", {})),
    (node, [, value, worry]) => { setText(node.lastElementChild, value); setAttribute(node, "data-tone", worry); });
}

function makeRow({ name, key }) {
  const link = h("a", { href: laneAddress(name, key) }, breakable(name));
  return h("tr", { "data-lane": `${name}/${key}` },
    h("td", { class: "name" }, link, h("span", { class: "key" }, key), h("div", { class: "reason" })),
    h("td", { class: "state-cell" }, h("span", { class: "pill" })),
    h("td", { class: "rate-cell" }, h("div", { class: "rate" }, makeSpark(), h("span", {}))),
    h("td", { class: "number lag-cell" }),
    h("td", { class: "number letters-cell" }, h("a", { class: "count", href: lettersAddress(name) }), h("span", {})),
    h("td", { class: "number muted updated" }));
}

function drawRow(row, lane, nowMs) {
  const [nameCell, stateCell, rateCell, lagCell, lettersCell, updatedCell] = row.children;
  setText(nameCell.querySelector(".reason"), lane.reason ?? "");
  setAttribute(nameCell.querySelector(".reason"), "title", lane.reason);
  const pill = stateCell.firstElementChild;
  setText(pill, label(lane.state));
  setAttribute(pill, "data-tone", tone(lane.state));
  const [spark, perSecond] = rateCell.firstElementChild.children;
  drawSpark(spark, samples(lane.name, lane.key), nowMs);
  setText(perSecond, rate(lane.events_per_second));
  setText(lagCell, lag(lane));
  const [letters, none] = lettersCell.children;
  const kept = lane.counters.dead_lettered;
  setText(letters, compact(kept));
  setAttribute(letters, "data-tone", kept ? "warn" : null);
  setAttribute(letters, "aria-label", `${count(kept)} dead letters of ${lane.name}`);
  show(letters, kept > 0);
  setText(none, kept ? "" : "0");
  setText(updatedCell, lane.updated_at_ms ? ago(lane.updated_at_ms, nowMs) : "never");
  setAttribute(updatedCell, "title", lane.updated_at_ms ? moment(lane.updated_at_ms) : null);
}
