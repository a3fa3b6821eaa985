// The page of one lane.

import { breakable, h, setAttribute, setText, show } from "../dom.js";
import { ago, count, duration, lag, moment, rate } from "../format.js";
import { loadAll, samples } from "../history.js";
import { listen } from "../live.js";
import { makePlot } from "../plot.js";
import { niceCeiling, niceSpan, peaks, rates } from "../series.js";
import { label, tone } from "../states.js";
import { complain } from "../toast.js";
import { makeCommands } from "./commands.js";
import { makeCounts } from "./counts.js";
import { makeLetters } from "./letter-table.js";
import { makeRebuild } from "./rebuild.js";

export function mountLane(main, name, key) {
  document.title = `${name} · projectionist`;
  const pill = h("span", { class: "pill" });
  const reason = h("p", { class: "muted break" });
  const commands = makeCommands(name, key);
  const rebuild = makeRebuild(name);
  const title = h("div", { class: "title" },
    h("div", { class: "title-words" },
      h("a", { class: "crumb", href: "#/" }, "← Projections"),
      h("div", { class: "title-line" }, h("h1", {}, breakable(name), " ", h("span", { class: "key" }, key)), pill), reason),
    commands.box);
  commands.box.append(rebuild.button);
  const failure = makeFailure();
  const throughput = makePlot({ title: "Throughput", kind: "rate", format: rate, ceilingOf: niceCeiling, nothing: "No events yet" });
  const delay = makePlot({ title: "Lag", kind: "lag", format: duration, ceilingOf: niceSpan, nothing: "The events do not tell their time" });
  const facts = makeFacts();
  const counts = makeCounts();
  const letters = makeLetters(name);
  const content = h("div", { hidden: true }, failure.panel, rebuild.panel,
    h("div", { class: "plots" }, throughput.panel, delay.panel),
    h("div", { class: "facts-and-counts" }, facts.panel, counts.panel), letters.panel);
  content.setAttribute("class", "stack");
  const missing = h("p", { class: "empty", hidden: true }, `There is no projection ${name} with the key ${key}.`);
  main.append(title, content, missing);

  loadAll(name, key).catch((error) => { if (error.code !== "not_found") complain(error); });
  letters.reload();
  let kept = null;
  const stop = listen((overview) => {
    const lane = overview?.lanes.find((one) => one.name === name && one.key === key);
    show(content, lane !== undefined);
    show(missing, overview !== null && lane === undefined);
    show(commands.box, lane !== undefined);
    if (!lane) return;
    const nowMs = overview.at_ms;
    setText(pill, label(lane.state));
    setAttribute(pill, "data-tone", tone(lane.state));
    const since = lane.since_ms ? `for ${duration(Math.max(0, Math.floor((nowMs - lane.since_ms) / 1000)))}` : "";
    setText(reason, [lane.failure ? "" : lane.reason, since].filter(Boolean).join(" · "));
    commands.update(lane);
    rebuild.update(overview.capabilities);
    failure.update(lane);
    const drawn = samples(name, key);
    throughput.draw(nowMs, (ms, buckets) => rates(drawn, nowMs, ms, buckets), lane.events_per_second);
    delay.draw(nowMs, (ms, buckets) => peaks(drawn, nowMs, ms, buckets, (one) => one.lag_seconds), lane.lag_seconds, lag(lane));
    facts.update(lane, nowMs);
    counts.update(lane.counters);
    if (kept !== null && kept !== lane.counters.dead_lettered) letters.reload();
    kept = lane.counters.dead_lettered;
  });
  return () => { stop(); rebuild.stop(); };
}

/** What fails, with the envelope. */
function makeFailure() {
  const head = h("h2", {});
  const text = h("pre", {});
  const where = h("p", { class: "muted break" });
  const panel = h("section", { class: "panel failure", "aria-label": "Failure", hidden: true },
    h("div", { class: "panel-head" }, head), h("div", { class: "panel-body" }, text, where));
  function update({ state, failure }) {
    show(panel, failure !== null);
    if (!failure) return;
    const next = failure.next_after_ms === null ? null : `${duration(failure.next_after_ms / 1000)} wait before the next attempt`;
    const tries = failure.attempts === null ? null
      : `${count(failure.attempts)} ${state === "restarting" ? "failed in a row" : failure.attempts === 1 ? "attempt" : "attempts"}`;
    setText(head, state === "failed" ? "It failed and is not restarted" : "It cannot go on");
    setText(text, failure.error);
    setText(where, [failure.offset ? `Event at ${failure.offset.text}` : null, tries, next].filter(Boolean).join(" · "));
  }
  return { panel, update };
}

/** Where it stands and who runs it. */
function makeFacts() {
  const rows = ["Owner", "Epoch", "Offset", "Format", "Lag", "Last commit"].map((name) => [name, h("dd", {})]);
  const cells = Object.fromEntries(rows);
  cells.Offset.setAttribute("class", "mono");
  cells.Format.setAttribute("class", "mono");
  const panel = h("section", { class: "panel", "aria-label": "Where it stands" },
    h("div", { class: "panel-head" }, h("h2", {}, "Where it stands")),
    h("div", { class: "panel-body" }, h("dl", { class: "facts" }, rows.map(([name, cell]) => [h("dt", {}, name), cell]))));
  function update(lane, nowMs) {
    setText(cells.Owner, lane.owner ? `${lane.owner}${lane.is_here ? " (this one)" : ""}` : "nobody");
    setText(cells.Epoch, String(lane.epoch));
    setText(cells.Offset, lane.offset?.text ?? "none");
    setText(cells.Format, lane.offset?.manifest ?? "–");
    setText(cells.Lag, lag(lane));
    setText(cells["Last commit"], lane.updated_at_ms ? `${ago(lane.updated_at_ms, nowMs)}, ${moment(lane.updated_at_ms)}` : "never");
  }
  return { panel, update };
}
