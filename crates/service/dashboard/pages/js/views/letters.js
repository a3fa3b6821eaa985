// The page of all dead letters, or of those of one projection.

import { h, keyed, show } from "../dom.js";
import { listen } from "../live.js";
import { makeLetters } from "./letter-table.js";
import { lettersAddress } from "./list.js";

/** The name under which records are kept that are no events; shown in place of an empty one. */
const NO_EVENT = "records that are no events";

export function mountLetters(main, name) {
  document.title = "Dead letters · projectionist";
  const letters = makeLetters(name);
  const select = h("select", { class: "filter", "aria-label": "Projection", onchange: () => { location.hash = select.value; } });
  letters.head.prepend(select);
  main.append(h("div", { class: "title" }, h("div", { class: "title-words" },
    h("h1", {}, "Dead letters"),
    h("p", { class: "muted" }, "Events that could not be applied. They are kept until they are replayed or discarded."))), letters.panel);
  letters.reload();
  let kept = null;
  return listen((overview) => {
    if (!overview) return;
    const names = [...new Set([...overview.lanes.map((lane) => lane.name), ...(name ? [name] : [])])];
    const options = [["#/dead-letters", "All projections"], ...names.map((one) => [lettersAddress(one), one]), ["#/dead-letters/", NO_EVENT]];
    keyed(select, options, ([value]) => value, ([value, text]) => h("option", { value }, text), () => {});
    select.value = name === undefined ? "#/dead-letters" : name === "" ? "#/dead-letters/" : lettersAddress(name);
    const now = overview.lanes.map((lane) => lane.counters.dead_lettered + lane.counters.malformed).join();
    if (kept !== null && kept !== now) letters.reload();
    kept = now;
    show(select, true);
  });
}
