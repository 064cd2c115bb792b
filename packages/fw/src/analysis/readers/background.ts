import type { DeclarationRef } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { Schema } from "../../model/schema.ts";
import type { Refusal } from "../schema/schema.ts";
import type { ConfigRead, DeclarationKey, Reading, Reference } from "./reading.ts";

export interface BucketRead {
  readonly kind: "bucket";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
}

export type DestinationKind = "queue" | "topic" | "job";

/** A Queue, a Topic or a Job: what has messages. */
export interface DestinationRead {
  readonly kind: DestinationKind;
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
  /** Set once the types are known. */
  readonly types?: MessageTypes;
}

/** What a message is, and which of it cannot be sent. */
export interface MessageTypes {
  readonly message: Schema;
  readonly refusals: readonly Refusal[];
}

/** The happenings that subscribers are told of, as their destinations are named. */
export type EventName = "auth.registered" | "auth.first-sign-in" | "bucket.uploaded" | "dead.queue" | "dead.topic";

/** What the first argument of a Worker, a Subscribe or a Runner names. */
export type SourceRead =
  | ({ readonly kind: DestinationKind; readonly name: string | undefined } & DeclarationKey)
  /** `name` is that of the bucket, the queue or the topic; undefined for events of accounts. */
  | ({ readonly kind: "event"; readonly event: EventName; readonly name: string | undefined } & DeclarationKey)
  | WrongSource;

/** What no consumer of the kind takes. */
interface WrongSource {
  readonly kind: "wrong";
  readonly reference: Reference;
  /** The function that declares what is named, where something is. */
  readonly declaredBy?: DeclarationName;
  /** The property that is read of it. */
  readonly event?: string;
}

interface ConsumerRead<Kind extends string, Settings> {
  readonly kind: Kind;
  readonly declaration: DeclarationRef;
  /** Where the first argument stands. */
  readonly at: Span;
  readonly source: SourceRead;
  readonly config: ConfigRead<Settings>;
}

/** Whatever constants stand there: a rule says what they must be. */
export interface DeliverySettingsRead {
  readonly maxAttempts?: Reading<unknown>;
  readonly minBackoff?: Reading<unknown>;
  readonly maxBackoff?: Reading<unknown>;
  readonly rateLimit?: Reading<unknown>;
}

export type WorkerRead = ConsumerRead<"worker", DeliverySettingsRead>;
export type SubscribeRead = ConsumerRead<"subscribe", DeliverySettingsRead>;

interface RunnerSettingsRead {
  /** Whatever constant stands there: a rule says what it must be. */
  readonly attempts?: Reading<unknown>;
  readonly tasks?: Reading<number>;
  readonly timeout?: Reading<string>;
}

export type RunnerRead = ConsumerRead<"runner", RunnerSettingsRead>;

export type AnyConsumerRead = WorkerRead | SubscribeRead | RunnerRead;

interface CronSettingsRead {
  /** Whatever constants stand there: rules say what they must be. */
  readonly timezone?: Reading<unknown>;
  readonly deadline?: Reading<unknown>;
}

export interface CronRead {
  readonly kind: "cron";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
  /** As it is written. */
  readonly schedule: Reading<string>;
  readonly config: ConfigRead<CronSettingsRead>;
}

interface SingletonSettingsRead {
  readonly traffic?: Reading<{ readonly maxInstances?: Reading<unknown> }>;
}

export interface SingletonRead {
  readonly kind: "singleton";
  readonly declaration: DeclarationRef;
  readonly text: Reading<string>;
  readonly config: ConfigRead<SingletonSettingsRead>;
}

export type BackgroundRead = BucketRead | DestinationRead | AnyConsumerRead | CronRead | SingletonRead;
