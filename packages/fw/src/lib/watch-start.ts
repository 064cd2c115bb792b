/** Limit: milliseconds after which the log warns about a slow start. */
export const slowStartMs = 5_000;

/** Limit: milliseconds for a service, or an application's modules, to start before fw stops them. */
export const startMs = 60_000;

export interface StartEvents {
  /** Called if the start is not complete after `seconds`. */
  readonly slow: (seconds: number) => void;
  /** Called when the time limit, `seconds`, has passed. */
  readonly late: (seconds: number) => void;
}

/** Reports a start that is slow, and one that exceeds the time limit. Returns a function that stops watching. */
export function watchStart({ slow, late }: StartEvents): () => void {
  const timers = [
    setTimeout(() => slow(slowStartMs / 1_000), slowStartMs),
    setTimeout(() => late(startMs / 1_000), startMs),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
