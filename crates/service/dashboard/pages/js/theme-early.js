// Applies the chosen scheme before anything is drawn. A module would come too late.
(() => {
  try {
    const chosen = localStorage.getItem("projectionist.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch { /* storage is forbidden: the system's scheme it is */ }
})();
