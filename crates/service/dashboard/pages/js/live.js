// What is known of the lanes at the moment: one question a second while the page is looked at.

import { api } from "./api.js";

const EVERY = 1_000;
const EVERY_WITHOUT_ANSWER = 3_000;

const listeners = new Set();
let overview = null;
let error = null;
let timer = null;
let under_way = false;

/** Is called with every answer; at once with the last one, if there is one. Gives the way to stop. */
export function listen(listener) {
  listeners.add(listener);
  if (overview) listener(overview, error);
  return () => listeners.delete(listener);
}

/** Asks now instead of at the next turn. */
export async function refresh() {
  clearTimeout(timer);
  if (under_way || document.hidden) return;
  under_way = true;
  try {
    overview = await api.projections();
    error = null;
  } catch (failed) {
    error = failed;
  }
  under_way = false;
  for (const listener of [...listeners]) listener(overview, error);
  timer = setTimeout(refresh, error ? EVERY_WITHOUT_ANSWER : EVERY);
}

document.addEventListener("visibilitychange", refresh);
