/** Limit: milliseconds of a start after which the log warns that it is slow. */
export const slowStartMs = 5_000;

/** Limit: milliseconds for a service, or an application's modules, to start before fw stops them. */
export const startMs = 60_000;

export interface StartEvents {
  /** It has not started after so many seconds. */
  readonly slow: (seconds: number) => void;
  /** It has used up its time. */
  readonly late: (seconds: number) => void;
}

/** Reports a start that is slow, and one that does not end. Returns a function that stops the watch. */
export function watchStart({ slow, late }: StartEvents): () => void {
  const timers = [
    setTimeout(() => slow(slowStartMs / 1_000), slowStartMs),
    setTimeout(() => late(startMs / 1_000), startMs),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
