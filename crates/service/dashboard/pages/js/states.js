// The states of a lane: their words and how worrying they are.

const STATES = {
  starting: ["Starting", "calm"],
  standing_by: ["Standing by", "calm"],
  running: ["Running", "good"],
  idle: ["Idle", "good"],
  awaiting_source: ["Awaiting source", "warn"],
  blocked: ["Blocked", "bad"],
  retrying: ["Retrying", "warn"],
  paused: ["Paused", "warn"],
  restarting: ["Restarting", "bad"],
  completed: ["Completed", "calm"],
  stopped: ["Stopped", "calm"],
  failed: ["Failed", "bad"],
  lost: ["Owner lost", "bad"],
  not_started: ["Not started", "calm"],
  not_declared: ["Not declared", "calm"],
};

export const label = (state) => STATES[state]?.[0] ?? state;
export const tone = (state) => STATES[state]?.[1] ?? "calm";

/** Whether it moves, or would if there were events. */
export const moves = (state) => tone(state) === "good";

/** Whether it does not move although it should. */
export const fails = (state) => ["blocked", "retrying", "restarting", "failed", "lost"].includes(state);
