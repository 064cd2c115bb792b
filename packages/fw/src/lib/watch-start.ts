/** Limit: milliseconds after which the log warns that a start is slow. */
export const slowStartMs = 5_000;

/** Limit: milliseconds for a service, or an application's modules, to start before fw stops them. */
export const startMs = 60_000;

export interface StartEvents {
  /** Called if it has not started after this many seconds. */
  readonly slow: (seconds: number) => void;
  /** Called if its time is over. */
  readonly late: (seconds: number) => void;
}

/** Reports a start that is slow, and one that exceeds its time. Returns a function that stops the watch. */
export function watchStart({ slow, late }: StartEvents): () => void {
  const timers = [
    setTimeout(() => slow(slowStartMs / 1_000), slowStartMs),
    setTimeout(() => late(startMs / 1_000), startMs),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
