import type { Duration } from "../declare/duration.ts";
import type { Clock } from "../platform/contract.ts";

/** The clock of a test's application, which stands still until the test advances it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /**
   * Advances the clock. Timers that become due fire at their instants, earliest first, including timers set along the
   * way. Crons therefore run, and messages are delivered when due. Running code takes no time on this clock: a handler
   * ends at the instant it started, however long it really takes. If it has not ended after a second of real time, the
   * clock advances, up to the handler's deadline.
   */
  advance(duration: Duration): Promise<void>;
}
