// The admin token: asked for when the endpoint wants one, kept until the tab is closed.

import { h } from "./dom.js";
import { openDialog } from "./dialog.js";

const PLACE = "projectionist.token";
let asking = null;

export function token() {
  return sessionStorage.getItem(PLACE);
}

/** Asks for the token, once for all who need it. Resolves when there is one to try. */
export function askForToken(wasRefused) {
  asking ??= ask(wasRefused).finally(() => { asking = null; });
  return asking;
}

function ask(wasRefused) {
  const input = h("input", { type: "password", name: "token", autocomplete: "current-password", required: true });
  const body = [
    h("p", { class: "muted" }, wasRefused
      ? "The endpoint does not know that token."
      : "This endpoint answers only those who know its admin token."),
    h("label", { class: "field" }, h("span", {}, "Admin token"), input),
  ];
  const { done, close } = openDialog({
    title: "Who is asking?",
    body,
    buttons: [{ label: "Continue", kind: "main", action: "token", onclick: take }],
    stays: true,
  });
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); take(); } });
  input.focus();
  function take() {
    const given = input.value.trim();
    if (!given) return input.focus();
    sessionStorage.setItem(PLACE, given);
    close(true);
  }
  return done;
}
