// The last minutes of every lane: loaded once, then kept up with each answer.

import { api } from "./api.js";
import { listen } from "./live.js";

export const KEPT_MS = 15 * 60_000;
export const SPARK_MS = 2 * 60_000;

const lanes = new Map();
const id = (name, key) => JSON.stringify([name, key]);

/** The samples of a lane, the oldest one first: {at_ms, read, lag_events, lag_seconds}. */
export const samples = (name, key) => lanes.get(id(name, key)) ?? [];

function merge(name, key, older) {
  const known = lanes.get(id(name, key)) ?? [];
  const first = known[0]?.at_ms ?? Infinity;
  lanes.set(id(name, key), [...older.filter((sample) => sample.at_ms < first), ...known]);
}

/** Loads the last minutes of all lanes. */
export async function loadRecent(nowMs) {
  const { lanes: all } = await api.history(nowMs - SPARK_MS);
  for (const lane of all) merge(lane.name, lane.key, lane.samples);
}

/** Loads everything that the endpoint remembers of one lane. */
export async function loadAll(name, key) {
  const { samples: all } = await api.laneHistory(name, key);
  const place = id(name, key);
  const newest = all.at(-1)?.at_ms ?? 0;
  lanes.set(place, [...all, ...(lanes.get(place) ?? []).filter((sample) => sample.at_ms > newest)]);
}

/** Adds what answers tell; a lane that is gone is forgotten. */
export function follow() {
  listen((overview, error) => {
    if (!overview || error) return;
    const present = new Set();
    for (const lane of overview.lanes) {
      const place = id(lane.name, lane.key);
      present.add(place);
      const known = lanes.get(place) ?? [];
      if (known.at(-1)?.at_ms === overview.at_ms) continue;
      known.push({
        at_ms: overview.at_ms,
        read: lane.counters.read,
        lag_events: lane.lag_events,
        lag_seconds: lane.lag_seconds,
      });
      while (known[0].at_ms < overview.at_ms - KEPT_MS) known.shift();
      lanes.set(place, known);
    }
    for (const place of lanes.keys()) if (!present.has(place)) lanes.delete(place);
  });
}
