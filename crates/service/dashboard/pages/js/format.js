// Numbers and moments for people.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** 12,345,678 */
export const count = (value) => whole.format(value);

/** 12.3M; small numbers as they are. */
export const compact = (value) => (Math.abs(value) < 10_000 ? whole.format(value) : short.format(value));

/** Events a second. */
export function rate(perSecond) {
  if (perSecond === 0) return "0/s";
  if (perSecond < 0.1) return "<0.1/s";
  if (perSecond < 10) return `${perSecond.toFixed(1)}/s`;
  return `${compact(perSecond)}/s`;
}

/** A length of time in one or two units. */
export function duration(seconds) {
  if (seconds < 0.001) return "0 s";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[first];
  const next = units[first + 1];
  const rest = next ? Math.floor((seconds % size) / next[1]) : 0;
  return `${Math.floor(seconds / size)} ${unit}${rest ? ` ${rest} ${next[0]}` : ""}`;
}

/** How long ago; "now" within a second and a half. */
export function ago(atMs, nowMs) {
  const seconds = Math.max(0, (nowMs - atMs) / 1000);
  return seconds < 1.5 ? "now" : `${duration(Math.floor(seconds))} ago`;
}

export const timeOfDay = (atMs) => clock.format(atMs);
export const moment = (atMs) => full.format(atMs);

/** How far behind a lane is: by time, by events, by both, or unknown. */
export function lag({ lag_events: events, lag_seconds: seconds }) {
  const parts = [];
  if (seconds !== null) parts.push(duration(seconds));
  if (events !== null) parts.push(`${compact(events)} ${events === 1 ? "event" : "events"}`);
  return parts.length ? parts.join(" · ") : "–";
}

/** "1 letter", "3 letters". */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
