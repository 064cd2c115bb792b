import type { Duration } from "../declare/duration.ts";
import type { Clock } from "../platform/contract.ts";

/** The clock of a test's application, which stands still until the test advances it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /**
   * Advances the clock. Timers on the way fire at their instants, earliest first, including timers that are set
   * meanwhile. So crons run, and messages are delivered when they are due. Running code takes no time on this clock: a
   * handler ends at the instant at which it began, however long it really takes. Only if it has not ended after a
   * second of real time does the clock advance, up to the handler's deadline.
   */
  advance(duration: Duration): Promise<void>;
}
