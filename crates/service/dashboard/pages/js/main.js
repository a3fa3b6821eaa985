// Starts the page: addresses, the bar on top, and the question of each second.

import { setAttribute, setText, show } from "./dom.js";
import { compact, timeOfDay } from "./format.js";
import { follow, loadRecent } from "./history.js";
import { listen, refresh } from "./live.js";
import { startTheme } from "./theme.js";
import { complain } from "./toast.js";
import { mountLane } from "./views/lane.js";
import { mountLetters } from "./views/letters.js";
import { mountList } from "./views/list.js";

const main = document.querySelector("main");
let leave = () => {};

/** #/ · #/p/NAME/KEY · #/dead-letters · #/dead-letters/NAME */
function route(isFirst) {
  const [page, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  leave();
  main.replaceChildren();
  const shown = page === "p" && parts.length === 2 ? "lane" : page === "dead-letters" ? "letters" : "list";
  if (shown === "lane") leave = mountLane(main, parts[0], parts[1]);
  else if (shown === "letters") leave = mountLetters(main, parts[0]);
  else leave = mountList(main);
  for (const link of document.querySelectorAll(".nav a")) {
    const isHere = link.dataset.page === shown || (shown === "lane" && link.dataset.page === "list");
    setAttribute(link, "aria-current", isHere ? "page" : null);
  }
  if (!isFirst) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

function bar() {
  const pulse = document.querySelector(".pulse");
  const banner = document.querySelector(".banner");
  const letters = document.querySelector(".nav-count");
  listen((overview, error) => {
    setAttribute(pulse, "data-live", error ? "no" : "yes");
    setText(pulse, error ? "no answer" : "live");
    setAttribute(pulse, "title", overview ? `last answer ${timeOfDay(overview.at_ms)}` : null);
    show(banner, error !== null);
    if (error) setText(banner, `Not up to date: ${error.message}; ${error.advice}. Trying again.`);
    const kept = (overview?.lanes ?? []).reduce((sum, lane) => sum + lane.counters.dead_lettered, 0);
    show(letters, kept > 0);
    setText(letters, compact(kept));
  });
}

startTheme(document.querySelector('[data-action="theme"]'));
bar();
follow();
addEventListener("hashchange", () => route(false));
route(true);
refresh().then(() => loadRecent(Date.now())).catch(complain);
