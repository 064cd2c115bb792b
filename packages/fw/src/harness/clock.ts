import type { Duration } from "../declare/duration.ts";
import type { Clock } from "../platform/contract.ts";

/** The time of a test's application: it stands still until the test advances it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /**
   * Lets so much time pass. What waits for an instant on the way goes on at that instant, the earliest first, and what it
   * then waits for counts too: crons run, and messages are delivered when they are due. Time does not pass for what is
   * under way: a handler ends at the instant at which it began, however long it really takes, unless a second of real time
   * and more says that it waits for time to pass, up to its deadline.
   */
  advance(duration: Duration): Promise<void>;
}
