// Messages in the corner: what was done, and what was not with the words of the endpoint.

import { h } from "./dom.js";

const GOOD_FOR = 5_000;
const MOST = 4;

function toast(tone, message, advice, lasts) {
  const place = document.querySelector(".toasts");
  const close = h("button", { type: "button", class: "button quiet", "aria-label": "Close message", onclick: () => node.remove() }, "×");
  const node = h("div", { class: "toast", "data-tone": tone, role: tone === "bad" ? "alert" : "status" },
    h("div", {}, h("p", {}, message), advice ? h("p", { class: "advice" }, advice) : null), close);
  place.append(node);
  while (place.children.length > MOST) place.firstElementChild.remove();
  if (lasts) setTimeout(() => node.remove(), lasts);
}

/** It was done. */
export function tell(message) {
  toast("good", message, null, GOOD_FOR);
}

/** It was not done. Stays until it is closed: it says what to do. */
export function complain(error) {
  const { message, advice } = error;
  toast("bad", sentence(message), advice ? sentence(advice) : null, null);
}

function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
