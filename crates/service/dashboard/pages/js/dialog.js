// Dialogs: the browser's own, which keep the focus and close with Escape.

import { h } from "./dom.js";

let count = 0;

/**
 * Opens a dialog. `buttons` are {label, kind, action, value} or with an `onclick` of their own.
 * `stays` keeps Escape from closing it. `done` resolves with the value of the button, or null.
 */
export function openDialog({ title, body, buttons, stays = false }) {
  let resolve;
  const done = new Promise((take) => { resolve = take; });
  const id = `dialog-${count += 1}`;
  const dialog = h("dialog", { "aria-labelledby": id },
    h("div", { class: "dialog-body" }, h("h2", { id }, title), body),
    h("div", { class: "dialog-end" }, buttons.map((button) => h("button", {
      type: "button",
      class: `button ${button.kind ?? ""}`,
      "data-action": button.action,
      onclick: button.onclick ?? (() => close(button.value)),
    }, button.label))));
  function close(value) {
    resolve(value);
    dialog.close();
  }
  dialog.addEventListener("cancel", (event) => { if (stays) event.preventDefault(); });
  dialog.addEventListener("close", () => { resolve(null); dialog.remove(); });
  document.body.append(dialog);
  dialog.showModal();
  return { done, close };
}

/** Asks whether to do it. Resolves with whether. The button that changes nothing has the focus. */
export async function confirm({ title, text, yes, kind = "danger" }) {
  const { done } = openDialog({
    title,
    body: [].concat(text).map((line) => h("p", { class: "break" }, line)),
    buttons: [
      { label: "Cancel", action: "cancel", value: false },
      { label: yes, kind, action: "confirm", value: true },
    ],
  });
  return (await done) === true;
}
