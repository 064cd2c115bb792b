import type { Clock } from "../contract.ts";
import type {
  Carrier,
  DeadMessage,
  Delivering,
  Delivery,
  Dispatcher,
  Messages,
  OutgoingMessage,
  Receiver,
} from "../messages.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The tables of messages. */
export const messageTables = "";

/** Messages in SQLite, and their delivery in this process. */
export class LocalMessages implements Messages, Dispatcher {
  constructor(_database: Database, _queue: WriteQueue, _clock: Clock, _receivers: readonly Receiver[]) {}

  /** Takes other receivers. */
  redefine(_receivers: readonly Receiver[]): void {}

  /** Checks a message before a commit that is to send it; fails with `too-large`. */
  check(_message: OutgoingMessage): void {}

  /** Keeps the message in the commit under way, which calls it from inside of a write; returns its id. */
  enqueue(_carrier: Carrier, _message: OutgoingMessage): string {
    return "";
  }

  /** Looks for what is due; to be called when a commit that enqueued has ended. */
  wake(): void {}

  send(_carrier: Carrier, _message: OutgoingMessage): Promise<string> {
    throw new Error("not here yet");
  }
  deliver(_deliver: (delivery: Delivery) => Promise<void>): Delivering {
    throw new Error("not here yet");
  }
  idle(_options?: { readonly all?: boolean }): Promise<void> {
    throw new Error("not here yet");
  }
  dead(_receiver?: string): Promise<readonly DeadMessage[]> {
    throw new Error("not here yet");
  }
  replay(_receiver: string, _id: string): Promise<boolean> {
    throw new Error("not here yet");
  }
}
