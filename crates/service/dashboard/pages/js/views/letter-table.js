// A table of dead letters, with what can be done with them.

import { api } from "../api.js";
import { confirm } from "../dialog.js";
import { h, keyed, setAttribute, setText, show } from "../dom.js";
import { moment, plural } from "../format.js";
import { complain } from "../toast.js";
import { actionButton } from "./act.js";
import { makeLetterDetail } from "./letter-detail.js";

const PAGE = 50;
const MOST = 500;
const HEADINGS = ["", "Letter", "Event", "Failed", "What was wrong"];

/** Letters of one projection, or of all where `projection` is undefined. */
export function makeLetters(projection) {
  let letters = [];
  let moreAfter = null;
  let generation = 0;
  const chosen = new Set();
  const outcomes = new Map();
  const all = h("input", { type: "checkbox", "aria-label": "Choose all letters that are shown", onchange: () => chooseAll(all.checked) });
  const replay = actionButton({ label: "Replay", action: "replay", small: true }, () => replayChosen());
  const discard = actionButton({ label: "Discard", action: "discard", small: true }, () => discardChosen());
  const more = actionButton({ label: "Show more", action: "more", small: true }, () => load(moreAfter));
  const head = h("div", { class: "end" }, replay, discard);
  const body = h("tbody", {});
  const table = h("table", { class: "letters" },
    h("caption", { class: "sr-only" }, "Dead letters"),
    h("thead", {}, h("tr", {}, HEADINGS.map((text, at) => h("th", { scope: "col", class: at === 3 ? "when" : null }, at === 0 ? all : text)))), body);
  const empty = h("p", { class: "empty" }, "Reading…");
  const foot = h("div", { class: "panel-body", hidden: true }, more);
  const panel = h("section", { class: "panel", "aria-label": "Dead letters" },
    h("div", { class: "panel-head" }, h("h2", {}, "Dead letters"), head), table, empty, foot);

  async function load(after) {
    const mine = generation += 1;
    const query = { limit: String(after ? PAGE : Math.min(MOST, Math.max(PAGE, letters.length))) };
    if (projection !== undefined) query.projection = projection;
    if (after) query.after = String(after);
    const page = await api.letters(query);
    if (mine !== generation) return null;
    letters = after ? [...letters, ...page.dead_letters] : page.dead_letters;
    moreAfter = page.more_after;
    const present = new Set(letters.map((letter) => letter.id));
    for (const id of [...chosen]) if (!present.has(id)) chosen.delete(id);
    draw();
    return null;
  }

  async function reload() {
    try { await load(null); } catch (error) { setText(empty, error.message); complain(error); }
  }

  function chooseAll(choose) {
    chosen.clear();
    if (choose) for (const letter of letters) chosen.add(letter.id);
    draw();
  }

  function draw() {
    show(table, letters.length > 0);
    show(empty, letters.length === 0);
    show(foot, moreAfter !== null);
    show(replay, letters.length > 0);
    show(discard, letters.length > 0);
    setText(empty, "There are no dead letters.");
    all.checked = letters.length > 0 && chosen.size === letters.length;
    all.indeterminate = chosen.size > 0 && !all.checked;
    for (const [button, word] of [[replay, "Replay"], [discard, "Discard"]]) {
      setText(button, chosen.size ? `${word} ${chosen.size}` : word);
      button.disabled = chosen.size === 0;
    }
    const rows = letters.flatMap((letter) => (details.has(letter.id) ? [letter, { detailOf: letter.id }] : [letter]));
    keyed(body, rows, (row) => (row.detailOf ? `detail-${row.detailOf}` : String(row.id)),
      (row) => (row.detailOf ? details.get(row.detailOf) : makeRow(row)), (node, row) => { if (!row.detailOf) drawRow(node, row); });
  }

  const details = new Map();
  function toggle(id) {
    if (!details.delete(id)) details.set(id, makeLetterDetail(id));
    draw();
  }

  function makeRow(letter) {
    const box = h("input", { type: "checkbox", "aria-label": `Choose letter ${letter.id}`, onchange: () => {
      if (box.checked) chosen.add(letter.id); else chosen.delete(letter.id);
      draw();
    } });
    const open = h("button", { type: "button", "data-action": "open-letter", onclick: () => toggle(letter.id) }, String(letter.id));
    const entity = [letter.entity, letter.sequence === null ? null : `number ${letter.sequence}`, letter.tenant].filter(Boolean).join(" · ");
    const where = [projection === undefined ? letter.projection : null, letter.field].filter(Boolean).join(" · ");
    return h("tr", { "data-letter": letter.id },
      h("td", { class: "check" }, h("label", {}, box)),
      h("td", { class: "id" }, open),
      h("td", { class: "what" }, letter.event_type ?? "not an event", h("div", {}, entity)),
      h("td", { class: "when muted" }),
      h("td", { class: "error" }, h("span", {}), where ? h("div", { class: "muted" }, where) : null, h("div", { class: "outcome" })));
  }

  function drawRow(row, letter) {
    const [check, id, , when, error] = row.children;
    check.querySelector("input").checked = chosen.has(letter.id);
    setAttribute(id.firstElementChild, "aria-expanded", details.has(letter.id));
    setText(when, moment(letter.failed_at_ms));
    setText(error.firstElementChild, letter.error);
    const outcome = outcomes.get(letter.id);
    setAttribute(row, "data-outcome", outcome ? "kept" : null);
    setText(error.lastElementChild, outcome ? `Kept: ${outcome.detail ?? outcome.outcome}` : "");
  }

  async function replayChosen(force = false, ids = [...chosen]) {
    if (!force && !(await confirm({
      title: `Replay ${plural(ids.length, "dead letter")}?`, kind: "main", yes: "Replay",
      text: "Their events are applied again. One that fails again is kept with its new reason.",
    }))) return null;
    const answer = await api.replay({ ids, force });
    const unforced = answer.letters.filter((letter) => letter.outcome === "needs_force").map((letter) => letter.id);
    if (unforced.length && await confirm({
      title: `Apply ${plural(unforced.length, "event")} out of order?`, yes: "Apply anyway",
      text: "Their projections have no sequence numbers, so nobody can tell whether a later event was applied already.",
    })) return replayChosen(true, unforced);
    return settle(answer, "replayed");
  }

  async function discardChosen() {
    const ids = [...chosen];
    const sure = await confirm({
      title: `Discard ${plural(ids.length, "dead letter")}?`, yes: "Discard",
      text: "They are gone for good, and their events count as skipped.",
    });
    return sure ? settle(await api.discard({ ids }), "discarded") : null;
  }

  async function settle(answer, word) {
    for (const letter of answer.letters) {
      if (letter.is_gone) outcomes.delete(letter.id);
      else outcomes.set(letter.id, letter);
      if (letter.is_gone) details.delete(letter.id);
    }
    await load(null);
    const kept = answer.letters.filter((letter) => !letter.is_gone).length;
    const gone = answer.letters.length - kept;
    if (kept) throw Object.assign(new Error(`${plural(kept, "dead letter")} of ${answer.letters.length} could not be ${word} and ${kept === 1 ? "is" : "are"} kept`), { advice: "the reason stands in its line" });
    return `${plural(gone, "dead letter")} ${word}.`;
  }

  return { panel, head, reload };
}
