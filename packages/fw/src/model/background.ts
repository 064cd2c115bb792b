import type { DeclarationBase, NamedDeclaration } from "./declaration-ref.ts";
import type { Evolving } from "./evolution.ts";
import type { KindWith } from "./kinds.ts";
import type { Pins } from "./pins.ts";
import type { Schema } from "./schema.ts";
import type { Separated } from "./tenant.ts";

/** A Queue, Topic or Job declaration: what has messages. */
export interface Destination extends NamedDeclaration<KindWith<"family", "destination">>, Evolving, Separated {
  /** The type of the message, event or arguments; `void` for a job without arguments. */
  readonly message: Schema;
  /** Milliseconds for which a job's runs are recorded after their end; absent if they are not recorded. */
  readonly history?: number;
}

/** The source of a consumer's messages. */
export type Source =
  | { readonly kind: Destination["kind"]; readonly name: string }
  /**
   * `auth.registered`, `auth.first-sign-in`, `bucket.uploaded:photos`, `dead.queue:emails`, `dead.topic:order-placed`.
   */
  | { readonly kind: "event"; readonly name: string };

/** A Worker, Subscribe or Runner declaration: a service of its own. */
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
  /** Deliveries of one message before it is dead. */
  readonly maxAttempts: number;
  /** Before the second delivery, at least; twice as many before each further one, and up to half as much again. */
  readonly minBackoff: number;
  /** Between two deliveries of one message, at most. */
  readonly maxBackoff: number;
  /** Deliveries a second. */
  readonly rateLimit?: number;
  /** The time limit of one delivery: its signal then aborts, and the delivery counts as failed. */
  readonly deadline: number;
}

/** A Cron declaration. */
export interface Cron extends NamedDeclaration<"cron"> {
  /** Five fields of unix-cron, in numbers: `every 15m` is minutes that divide by 15. */
  readonly schedule: string;
  /** `every 15m`, as in the source; absent for five fields. */
  readonly sentence?: string;
  readonly timezone: string;
  /** Milliseconds. */
  readonly deadline: number;
  readonly pins?: Pins;
}

/** A Singleton declaration: a service of its own. */
export interface Singleton extends NamedDeclaration<"singleton"> {
  readonly service: string;
  readonly pins?: Pins;
}
