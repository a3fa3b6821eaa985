// One dead letter in full, under its line.

import { api } from "../api.js";
import { h } from "../dom.js";
import { count, moment } from "../format.js";

/** A row that fills itself. */
export function makeLetterDetail(id) {
  const place = h("div", { class: "letter" }, h("p", { class: "muted" }, "Reading…"));
  const row = h("tr", { class: "detail", "data-detail": id }, h("td", { colspan: 5 }, place));
  api.letter(id).then((letter) => place.replaceChildren(...content(letter)))
    .catch((error) => place.replaceChildren(h("p", {}, error.message)));
  return row;
}

function content(letter) {
  const facts = [
    ["Projection", letter.projection ? `${letter.projection} ${letter.key}` : "none: the record is no event"],
    ["Offset", letter.offset],
    ["Class", letter.class],
    ["Field", letter.field],
    ["Value", letter.value],
    ["Attempts", count(letter.attempts)],
    ["First failed", moment(letter.first_failed_at_ms)],
    ["Last failed", moment(letter.failed_at_ms)],
  ].filter(([, value]) => value !== null);
  return [
    h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("pre", { tabindex: 0, "aria-label": "Event" }, shown(letter)),
  ];
}

/** The event, indented where it is JSON. Numbers stay as they were written. */
function shown({ event, event_hex: hex }) {
  if (event === undefined) return hex ?? "";
  try { JSON.parse(event); } catch { return event; }
  return indented(event);
}

/** Indents JSON without reading its numbers, which may have more digits than a browser keeps. */
function indented(text) {
  let [depth, inText, out] = [0, false, ""];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inText) {
      out += c;
      if (c === "\\") out += text[i += 1] ?? "";
      else if (c === '"') inText = false;
    } else if (c === '"') { inText = true; out += c; }
    else if (c === "{" || c === "[") {
      const rest = text.slice(i + 1).trimStart();
      if (rest[0] === "}" || rest[0] === "]") { out += c + rest[0]; i = text.length - rest.length; }
      else { depth += 1; out += c + line(); }
    } else if (c === "}" || c === "]") { depth -= 1; out += line() + c; }
    else if (c === ",") out += c + line();
    else if (c === ":") out += ": ";
    else if (!/\s/.test(c)) out += c;
  }
  return out;
}
