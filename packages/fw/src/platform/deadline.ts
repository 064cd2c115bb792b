import { formatDuration } from "../lib/duration.ts";

/** The abort reason of work that exceeds its deadline. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`the deadline of ${formatDuration(milliseconds)} has passed`);
    this.name = "DeadlinePassed";
  }
}

/** The abort reason of a delivery that may begin again elsewhere, because this process could not hold on to it. */
export class DeliveryLost extends Error {
  constructor() {
    super("another machine may have the message");
    this.name = "DeliveryLost";
  }
}
