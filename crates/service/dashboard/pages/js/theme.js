// The switch between light and dark. Without a choice the page follows the system.

import { s, setAttribute } from "./dom.js";

const PLACE = "projectionist.theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const SHAPES = {
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  dark: "M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z",
};

export function startTheme(button) {
  let chosen = document.documentElement.dataset.theme ?? "system";
  const path = s("path", {});
  button.append(s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path));
  const apply = () => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    setAttribute(path, "d", SHAPES[chosen]);
    const words = `Colours: ${chosen}. Switch to ${NEXT[chosen]}`;
    setAttribute(button, "aria-label", words);
    setAttribute(button, "title", words);
  };
  button.addEventListener("click", () => {
    chosen = NEXT[chosen];
    try {
      if (chosen === "system") localStorage.removeItem(PLACE);
      else localStorage.setItem(PLACE, chosen);
    } catch { /* storage is forbidden: the choice holds for this page alone */ }
    apply();
  });
  apply();
}
