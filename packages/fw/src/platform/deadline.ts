import { formatDuration } from "../lib/duration.ts";

/** The abort reason of work that exceeds its deadline. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`the deadline of ${formatDuration(milliseconds)} has passed`);
    this.name = "DeadlinePassed";
  }
}

/** Thrown for a delivery that its process could not finish before stopping. It does not count as an attempt. */
export class DeliveryReturned extends Error {
  constructor() {
    super("the process stopped before the delivery ended");
    this.name = "DeliveryReturned";
  }
}

/** The abort reason of a delivery whose lease this process lost. It may run again elsewhere. */
export class DeliveryLost extends Error {
  constructor() {
    super("another machine may have the message");
    this.name = "DeliveryLost";
  }
}
