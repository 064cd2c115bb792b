import { formatDuration } from "../lib/duration.ts";

/** Why the signal of work aborts that did not end in its time. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`the deadline of ${formatDuration(milliseconds)} has passed`);
    this.name = "DeadlinePassed";
  }
}
