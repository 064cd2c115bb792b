import type { Duration } from "../declare/route-config.ts";
import type { Clock } from "../platform/contract.ts";

/** The time of a test's application: it stands still until the test advances it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /**
   * Lets so much time pass. What waits for an instant on the way goes on at that instant, the earliest first, and what it
   * then waits for counts too: crons run, and messages are delivered when they are due.
   */
  advance(duration: Duration): Promise<void>;
}
