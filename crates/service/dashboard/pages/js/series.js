// Makes points to draw from samples.

/**
 * Events a second in buckets of `bucketMs` that end at `endMs`, the oldest one first; null where
 * nothing is known. A count that went back begins anew.
 */
export function rates(samples, endMs, bucketMs, buckets) {
  const startMs = endMs - bucketMs * buckets;
  const sums = new Array(buckets).fill(null);
  for (let i = 1; i < samples.length; i += 1) {
    const [from, to] = [samples[i - 1], samples[i]];
    const span = to.at_ms - from.at_ms;
    if (span <= 0 || to.at_ms <= startMs) continue;
    const perMs = Math.max(0, to.read - from.read) / span;
    const first = Math.max(0, Math.floor((from.at_ms - startMs) / bucketMs));
    const last = Math.min(buckets - 1, Math.floor((to.at_ms - 1 - startMs) / bucketMs));
    for (let bucket = first; bucket <= last; bucket += 1) {
      const begin = startMs + bucket * bucketMs;
      const overlap = Math.min(to.at_ms, begin + bucketMs) - Math.max(from.at_ms, begin);
      if (overlap <= 0) continue;
      sums[bucket] ??= { events: 0, ms: 0 };
      sums[bucket].events += perMs * overlap;
      sums[bucket].ms += overlap;
    }
  }
  return sums.map((sum, bucket) => ({
    at: startMs + (bucket + 0.5) * bucketMs,
    value: sum ? (sum.events * 1000) / sum.ms : null,
  }));
}

/** The highest value of `of` in each bucket, as {@link rates}. */
export function peaks(samples, endMs, bucketMs, buckets, of) {
  const startMs = endMs - bucketMs * buckets;
  const highest = new Array(buckets).fill(null);
  for (const sample of samples) {
    const bucket = Math.floor((sample.at_ms - 1 - startMs) / bucketMs);
    const value = of(sample);
    if (bucket < 0 || bucket >= buckets || value === null) continue;
    highest[bucket] = Math.max(highest[bucket] ?? 0, value);
  }
  // Samples may be further apart than buckets are wide; a value holds until the next one.
  const mostGap = Math.ceil(6_000 / bucketMs);
  let held = null;
  let since = 0;
  return highest.map((value, bucket) => {
    if (value !== null) [held, since] = [value, bucket];
    else if (bucket - since > mostGap) held = null;
    return { at: startMs + (bucket + 0.5) * bucketMs, value: held };
  });
}

/** The round number at or above a value that an axis ends with. */
export function niceCeiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 10].find((factor) => factor * power >= value);
  return step * power;
}

const SPANS = [1, 2, 4, 10, 20, 60, 120, 240, 600, 1_200, 3_600, 7_200, 14_400, 43_200, 86_400];

/** The length of time at or above a number of seconds that an axis ends with, so that half of it is round too. */
export function niceSpan(seconds) {
  return SPANS.find((span) => span >= seconds) ?? 86_400 * niceCeiling(seconds / 86_400);
}

/** Paths of the line and the area beneath it; a gap where nothing is known. */
export function paths(points, x, y, bottom) {
  let line = "";
  let area = "";
  let run = [];
  const end = () => {
    if (run.length === 1) run.push([run[0][0] + 0.5, run[0][1]]);
    if (run.length > 1) {
      const drawn = run.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
      line += `M${drawn}`;
      area += `M${run[0][0].toFixed(1)} ${bottom}L${drawn}L${run.at(-1)[0].toFixed(1)} ${bottom}Z`;
    }
    run = [];
  };
  for (const point of points) {
    if (point.value === null) end();
    else run.push([x(point.at), y(point.value)]);
  }
  end();
  return { line, area };
}
