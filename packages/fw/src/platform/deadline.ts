import { formatDuration } from "../lib/duration.ts";

/** The abort reason of work that exceeds its deadline. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`the deadline of ${formatDuration(milliseconds)} has passed`);
    this.name = "DeadlinePassed";
  }
}
