// The rebuild of a projection: begun, watched, given up, reverted.

import { api } from "../api.js";
import { confirm, openDialog } from "../dialog.js";
import { h, setAttribute, setText, show } from "../dom.js";
import { count, duration, rate } from "../format.js";
import { actionButton } from "./act.js";

const EVERY = 1_000;
const WORDS = {
  building: "The new table is being filled", swapping: "The new table takes the place of the old one",
  done: "The last rebuild ended well", aborted: "The last rebuild was given up", failed: "The last rebuild failed",
};

export function makeRebuild(name) {
  let timer = null;
  let stopped = false;
  let isAsked = false;
  const words = h("p", {});
  const bar = h("progress", { max: 1, "aria-label": "Rebuild" });
  const figures = h("p", { class: "muted" });
  const button = actionButton({ label: "Rebuild…", action: "rebuild" }, start);
  const abort = actionButton({ label: "Give up", action: "rebuild-abort", small: true }, async () => draw(await api.abortRebuild(name)) ?? "The rebuild is given up.");
  const revert = actionButton({ label: "Put the old table back", action: "rebuild-revert", small: true }, giveBack);
  const panel = h("section", { class: "panel rebuild", "aria-label": "Rebuild", hidden: true },
    h("div", { class: "panel-head" }, h("h2", {}, "Rebuild"), h("div", { class: "end" }, abort, revert)),
    h("div", { class: "panel-body" }, words, bar, figures));
  show(button, false);

  async function start() {
    const keep = h("input", { type: "checkbox", name: "keep", checked: true });
    const { done } = openDialog({
      title: `Rebuild ${name}?`,
      body: [
        h("p", {}, "All events are read again into a new table, which takes the place of the present one when it has caught up. Until then the present one goes on."),
        h("label", { class: "choice" }, keep, "Keep the old table, so that it can be put back"),
      ],
      buttons: [
        { label: "Cancel", action: "cancel", value: false },
        { label: "Rebuild", kind: "main", action: "confirm", value: true },
      ],
    });
    if ((await done) !== true) return null;
    draw(await api.startRebuild(name, keep.checked));
    return `The rebuild of ${name} has begun.`;
  }

  async function giveBack() {
    const sure = await confirm({ title: "Put the old table back?", text: "The rebuilt table is replaced by the one before it.", yes: "Put it back" });
    if (!sure) return null;
    draw(await api.revertRebuild(name));
    return "The old table is back.";
  }

  function draw(rebuild) {
    const isOn = rebuild.phase === "building" || rebuild.phase === "swapping";
    show(panel, rebuild.phase !== "none");
    button.disabled = isOn;
    show(abort, rebuild.phase === "building" || rebuild.phase === "failed");
    show(revert, !isOn && rebuild.can_be_reverted);
    show(bar, isOn);
    setText(words, `${WORDS[rebuild.phase] ?? rebuild.phase}${rebuild.error ? `: ${rebuild.error}` : ""}`);
    setAttribute(bar, "value", rebuild.fraction);
    const left = isOn && rebuild.fraction > 0.01 ? (Date.now() - rebuild.started_at_ms) / 1000 * (1 / rebuild.fraction - 1) : null;
    setText(figures, [
      `${count(rebuild.read)} events`,
      rebuild.events_per_second === null ? null : rate(rebuild.events_per_second),
      left === null ? null : `about ${duration(left)} left`,
    ].filter(Boolean).join(" · "));
    clearTimeout(timer);
    if (isOn && !stopped) timer = setTimeout(look, EVERY);
  }

  async function look() {
    try { draw(await api.rebuild(name)); } catch { if (!stopped) timer = setTimeout(look, 5 * EVERY); }
  }

  function update({ rebuild: isPossible }) {
    show(button, isPossible);
    if (isPossible && !isAsked) { isAsked = true; look(); }
  }
  function stop() { stopped = true; clearTimeout(timer); }
  return { button, panel, update, stop };
}
