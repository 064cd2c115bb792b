import type { DeclarationBase, NamedDeclaration } from "./declaration-ref.ts";
import type { Evolving } from "./evolution.ts";
import type { KindWith } from "./kinds.ts";
import type { Pins } from "./pins.ts";
import type { Schema } from "./schema.ts";
import type { Separated } from "./tenant.ts";

/** A Queue, Topic or Job declaration, which can receive messages. */
export interface Destination extends NamedDeclaration<KindWith<"family", "destination">>, Evolving, Separated {
  /** The type of the message, event or arguments; `void` for a job without arguments. */
  readonly message: Schema;
  /** Milliseconds to keep the records of a job's finished runs; absent if runs are not recorded. */
  readonly history?: number;
}

export type Source =
  | { readonly kind: Destination["kind"]; readonly name: string }
  /** The name from `eventName`, such as `auth.registered` or `bucket.uploaded:photos`. */
  | { readonly kind: "event"; readonly name: string };

/** A Worker, Subscribe or Runner declaration, which is a separate service. */
export interface Consumer extends DeclarationBase<KindWith<"family", "consumer">> {
  /** `<package>-<variable>`. */
  readonly service: string;
  readonly source: Source;
  readonly delivery: Delivery;
  /** For a runner: the number of tasks in a run. */
  readonly tasks?: number;
  readonly pins?: Pins;
}

/** Delivery settings with defaults filled in; times in milliseconds. */
export interface Delivery {
  /** The number of deliveries after which a message is dead. */
  readonly maxAttempts: number;
  /**
   * The minimum delay before the second delivery. Doubles with each further delivery, plus random jitter of up to half.
   */
  readonly minBackoff: number;
  /** The maximum delay between two deliveries of a message. */
  readonly maxBackoff: number;
  readonly rateLimit?: number;
  /** The time limit of one delivery. After it, the signal aborts and the delivery counts as failed. */
  readonly deadline: number;
}

export interface Cron extends NamedDeclaration<"cron"> {
  /** A five-field unix-cron expression without names: `every 15m` becomes minutes divisible by 15. */
  readonly schedule: string;
  /** The interval in the source, such as `every 15m`; absent for a cron expression. */
  readonly sentence?: string;
  readonly timezone: string;
  /** Milliseconds. */
  readonly deadline: number;
  readonly pins?: Pins;
}

export interface Singleton extends NamedDeclaration<"singleton"> {
  readonly service: string;
  readonly pins?: Pins;
}
