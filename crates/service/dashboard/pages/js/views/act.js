// Buttons that command something: busy while they wait, and never silent about the outcome.

import { h, setAttribute } from "../dom.js";
import { refresh } from "../live.js";
import { complain, tell } from "../toast.js";

/** A button. `act` gives what is told when it was done, or null when it was not begun. */
export function actionButton({ label, action, kind = "", small = false }, act) {
  const button = h("button", { type: "button", class: `button ${kind}${small ? " small" : ""}`, "data-action": action }, label);
  button.addEventListener("click", () => run(button, act));
  return button;
}

async function run(button, act) {
  if (button.getAttribute("aria-busy") === "true") return;
  setAttribute(button, "aria-busy", "true");
  try {
    const done = await act();
    if (done) tell(done);
  } catch (error) {
    complain(error);
  } finally {
    setAttribute(button, "aria-busy", null);
    refresh();
  }
}
