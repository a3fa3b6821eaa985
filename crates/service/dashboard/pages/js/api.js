// Speaks with the endpoint.

import { askForToken, token } from "./token.js";

const PATIENCE = 70_000;

/** An answer that is no success, with the words of the endpoint. */
export class ApiError extends Error {
  constructor({ code, message, advice }) {
    super(message);
    this.code = code;
    this.advice = advice;
  }
}

async function ask(method, path, body) {
  const sent = token();
  const headers = {};
  if (sent) headers.Authorization = `Bearer ${sent}`;
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    headers["X-Projectionist"] = "1";
  }
  let response;
  try {
    response = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", redirect: "error", signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new ApiError({
      code: "unreachable",
      message: "the process does not answer",
      advice: "look whether it still runs",
    });
  }
  if (response.status === 401) {
    await askForToken(sent !== null);
    return ask(method, path, body);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw new ApiError(answer?.error ?? {
    code: "unreadable",
    message: `the endpoint answered with status ${response.status}`,
    advice: "look at the log of the process",
  });
}

const lane = (name, key) => `/api/projections/${encodeURIComponent(name)}/${encodeURIComponent(key)}`;
const rebuild = (name) => `/api/rebuilds/${encodeURIComponent(name)}`;

export const api = {
  projections: () => ask("GET", "/api/projections"),
  history: (sinceMs) => ask("GET", `/api/history?since_ms=${sinceMs}`),
  laneHistory: (name, key) => ask("GET", `${lane(name, key)}/history`),
  pause: (name, key, scope) => ask("POST", `${lane(name, key)}/pause`, { scope }),
  resume: (name, key, scope) => ask("POST", `${lane(name, key)}/resume`, { scope }),
  skip: (name, key, at) => ask("POST", `${lane(name, key)}/skip`, { at }),
  setOffset: (name, key, to, expected) => ask("POST", `${lane(name, key)}/offset/set`, { to, expected }),
  clearOffset: (name, key) => ask("POST", `${lane(name, key)}/offset/clear`, {}),
  letters: (query) => ask("GET", `/api/dead-letters?${new URLSearchParams(query)}`),
  letter: (id) => ask("GET", `/api/dead-letters/${id}`),
  replay: (what) => ask("POST", "/api/dead-letters/replay", what),
  discard: (what) => ask("POST", "/api/dead-letters/discard", what),
  rebuild: (name) => ask("GET", rebuild(name)),
  startRebuild: (name, keep) => ask("POST", `${rebuild(name)}/start`, { keep }),
  abortRebuild: (name) => ask("POST", `${rebuild(name)}/abort`, {}),
  revertRebuild: (name) => ask("POST", `${rebuild(name)}/revert`, {}),
};
