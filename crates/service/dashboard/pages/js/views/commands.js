// The buttons of one lane.

import { api } from "../api.js";
import { confirm, openDialog } from "../dialog.js";
import { h, setText, show } from "../dom.js";
import { actionButton } from "./act.js";

/** The buttons, and what brings them in line with the lane. */
export function makeCommands(name, key) {
  let lane = null;
  const isPausedByAll = () => lane?.state === "paused" && /all lanes/.test(lane.reason ?? "");
  const pause = actionButton({ label: "Pause", action: "pause" }, async () => {
    await api.pause(name, key, "lane");
    return `${name} is being paused.`;
  });
  const resume = actionButton({ label: "Resume", action: "resume", kind: "main" }, async () => {
    await api.resume(name, key, isPausedByAll() ? "all_lanes" : "lane");
    return `${name} goes on.`;
  });
  const skip = actionButton({ label: "Skip event", action: "skip" }, () => skipFailing(lane));
  const move = actionButton({ label: "Move…", action: "move" }, () => moveLane(lane));
  const box = h("div", { class: "actions" }, pause, resume, skip, move);
  function update(now) {
    lane = now;
    const isPaused = now.state === "paused";
    show(pause, !isPaused);
    show(resume, isPaused);
    skip.disabled = !now.failure?.can_be_skipped;
    setText(resume, isPausedByAll() ? "Resume all lanes" : "Resume");
  }
  return { box, update };
}

async function skipFailing({ name, key, failure }) {
  const at = failure.offset.text;
  const sure = await confirm({
    title: "Skip this event?",
    text: [`${name} passes over the event at ${at}. It is counted, kept as a dead letter, and can be replayed later.`],
    yes: "Skip event",
  });
  if (!sure) return null;
  const { offset } = await api.skip(name, key, at);
  return `${name} has passed over the event at ${offset.text}.`;
}

async function moveLane({ name, key, offset }) {
  const text = h("input", { type: "text", name: "offset", value: offset?.text ?? "", spellcheck: "false", class: "mono" });
  const whence = h("input", { type: "radio", name: "where", value: "offset", checked: true });
  const beginning = h("input", { type: "radio", name: "where", value: "beginning" });
  const { done } = openDialog({
    title: `Move ${name}`,
    body: [
      h("p", { class: "muted" }, "What lies behind the new place is handled again. What an event did already is not undone; with sequence numbers it is recognised and not repeated."),
      h("label", { class: "choice" }, beginning, "To the beginning"),
      h("label", { class: "choice" }, whence, "To behind this offset"),
      h("label", { class: "field" }, h("span", {}, "Offset"), text),
    ],
    buttons: [
      { label: "Cancel", action: "cancel", value: false },
      { label: "Move", kind: "danger", action: "confirm", value: true },
    ],
  });
  text.addEventListener("input", () => { whence.checked = true; });
  if ((await done) !== true) return null;
  if (beginning.checked) await api.clearOffset(name, key);
  else await api.setOffset(name, key, text.value.trim(), offset?.text);
  return beginning.checked ? `${name} begins anew.` : `${name} goes on behind ${text.value.trim()}.`;
}
