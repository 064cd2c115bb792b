import type { Key } from "../contract.ts";
import type { Destination } from "../messages.ts";
import type { PendingMessage } from "../pending-writes.ts";
import { isPlatformError } from "../errors.ts";
import { onlyOver, type Datastore, type Mutation } from "./entities/datastore.ts";
import { encodeScalar, type DatastoreValue } from "./entities/datastore-values.ts";
import { unindexed, type EntityResult } from "./entities/stored-document.ts";
import type { SentMessage } from "./messages/sent-message.ts";
import { CloudError } from "./rest/cloud-error.ts";
import type { Filter } from "./rest/generated/datastore.ts";

/** A transaction's messages: the mutations that add them to the outbox, and the function to call after the commit. */
export interface OutgoingMessages {
  readonly mutations: readonly Mutation[];
  /** Passes the messages to their carriers. The sweep retries failures. */
  post(): Promise<void>;
}

/** A message that could not be posted, and why. */
export interface UnpostedMessage {
  readonly id: string;
  readonly destination: Destination;
  readonly error: unknown;
}

interface OutboxParts {
  readonly datastore: Datastore;
  readonly post: (message: SentMessage) => Promise<void>;
}

/** Settings for posting messages that other processes left behind. */
export interface Sweeping {
  /** The destinations to which this service may send. */
  readonly destinations: readonly Destination[];
  readonly tell: (left: UnpostedMessage) => void;
}

/** Milliseconds after which a message counts as abandoned. */
const orphanedMs = 30_000;

/** Interval between sweeps in milliseconds, with jitter so that instances take turns. */
const lookMs = 60_000;

/** Milliseconds before a failed message is retried. Doubles with each attempt, up to `longestPauseMs`. */
const pauseMs = 60_000;
const longestPauseMs = 3_600_000;

/** Milliseconds for which a destination is skipped after it refused this service. */
const refusedMs = 600_000;

/** The batch size of a sweep, and its maximum number of batches per destination. */
const sweepBatch = 100;
const sweepBatches = 10;

const concurrentPosts = 8;

const outboxKind = "_fw_outbox";

/**
 * A transactional outbox. A transaction commits each message as a document; afterwards the message is posted and its
 * document deleted. If the process dies in between, another process posts the message, so it is delivered at least
 * once. Each destination has its own queue: an unreachable destination does not block others, and a failing message
 * moves behind newer ones.
 */
export class Outbox {
  readonly #datastore: Datastore;
  readonly #post: (message: SentMessage) => Promise<void>;
  readonly #over: AbortController = new AbortController();
  /**
   * Destinations that refused this service, and when to try them again. Other services may have permission, and new
   * grants take minutes to apply.
   */
  readonly #refused = new Map<string, number>();
  #watching: Promise<void> | undefined;

  constructor({ datastore, post }: OutboxParts) {
    this.#datastore = datastore;
    this.#post = post;
  }

  keep(messages: readonly PendingMessage[]): OutgoingMessages {
    const now = this.#datastore.now();
    const outgoing = messages.map(({ id, destination, message }): SentMessage => {
      const due = new Date(now + (message.delay ?? 0));
      const { body, traceparent } = message;
      return { id, destination, body, sent: new Date(now), due, traceparent };
    });
    return {
      mutations: outgoing.map((message) => ({
        insert: {
          key: this.#datastore.keyOf(keyOf(message)),
          properties: propertiesOf(message, waitingAt(placeOf(message.destination), now + orphanedMs), 0),
        },
      })),
      post: async () => {
        await Promise.all(outgoing.map((message) => this.#deliver(message)));
      },
    };
  }

  /** Sweeps now and about every minute until the outbox is closed, while the process has CPU. */
  watch(sweeping: Sweeping): void {
    this.#watching ??= this.#watch(sweeping);
  }

  /** Ends the repeated sweeps, and resolves when the current one has ended. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the outbox is closed"));
    await this.#watching;
  }

  /**
   * Posts the messages that are due in the outbox, such as messages of dead processes; for each destination, the oldest
   * due first. Resolves with the number of posted messages.
   */
  async sweep({ destinations, tell }: Sweeping): Promise<number> {
    const swept = await Promise.all(destinations.map((destination) => this.#sweep(destination, tell)));
    return swept.reduce((sum, count) => sum + count, 0);
  }

  async #watch(sweeping: Sweeping): Promise<void> {
    const { clock } = this.#datastore;
    const { signal } = this.#over;
    while (!signal.aborted) {
      // The next sweep retries what failed.
      await this.sweep(sweeping).catch(() => {});
      await clock.sleep(lookMs * (0.75 + Math.random() / 2), signal, { background: true }).catch(() => {});
    }
  }

  async #sweep(destination: Destination, tell: Sweeping["tell"]): Promise<number> {
    const name = placeOf(destination);
    let posted = 0;
    for (let look = 0; look < sweepBatches && !this.#over.signal.aborted && !this.#isRefused(name); look++) {
      const orphans = await this.#due(name);
      for (let i = 0; i < orphans.length; i += concurrentPosts) {
        const done = await Promise.all(
          orphans.slice(i, i + concurrentPosts).map((result) => this.#deliverLeft(result, tell)),
        );
        posted += done.filter(Boolean).length;
      }
      if (orphans.length < sweepBatch) break;
    }
    return posted;
  }

  async #due(place: string): Promise<readonly EntityResult[]> {
    const from = waiting("GREATER_THAN_OR_EQUAL", waitingAt(place, 0));
    const to = waiting("LESS_THAN_OR_EQUAL", waitingAt(place, this.#datastore.now()));
    const { entityResults = [] } = await this.#datastore.query({
      kind: [{ name: outboxKind }],
      filter: { compositeFilter: { op: "AND", filters: [from, to] } },
      order: [{ property: { name: "waiting" }, direction: "ASCENDING" }],
      limit: sweepBatch,
    });
    return entityResults;
  }

  /** Posts a message and deletes its document. Never rejects, because the sweep handles failures. */
  async #deliver(message: SentMessage): Promise<void> {
    try {
      await this.#post(message);
      await this.#drop(message);
    } catch {
      // The document still exists, so the sweep will find it.
    }
  }

  /** Posts a message that is due in the outbox. Returns false if it remains there. */
  async #deliverLeft(result: EntityResult, tell: Sweeping["tell"]): Promise<boolean> {
    const message = messageOf(result);
    const name = placeOf(message.destination);
    if (this.#isRefused(name)) return false;
    try {
      await this.#post(message);
    } catch (error) {
      tell({ ...message, error });
      // Another service with permission posts the message.
      if (isRefusal(error)) this.#refused.set(name, this.#datastore.now() + refusedMs);
      else await this.#putBack(result);
      return false;
    }
    await this.#drop(message).catch(() => {});
    return true;
  }

  #drop(message: SentMessage): Promise<void> {
    return this.#datastore.delete(keyOf(message));
  }

  #isRefused(place: string): boolean {
    return (this.#refused.get(place) ?? 0) > this.#datastore.now();
  }

  /**
   * Postpones a message. Ignores failures: after a conflict, another instance has postponed or posted the message;
   * after any other error, it is still due.
   */
  async #putBack(result: EntityResult): Promise<void> {
    const { entity, version } = result;
    const message = messageOf(result);
    const attempts = Number(entity?.properties?.["attempts"]?.integerValue ?? 0) + 1;
    const pause = Math.min(pauseMs * 2 ** (attempts - 1), longestPauseMs);
    const due = this.#datastore.now() + pause;
    const properties = propertiesOf(message, waitingAt(placeOf(message.destination), due), attempts);
    const update = { key: this.#datastore.keyOf(keyOf(message)), properties };
    await this.#datastore.commit({ mutations: [{ update, ...onlyOver(version) }] }).catch(() => {});
  }
}

/** Whether an error means that this service may not send to the destination. */
function isRefusal(error: unknown): boolean {
  return isPlatformError(error, "denied") || (error instanceof CloudError && error.code === "PERMISSION_DENIED");
}

/** Returns the index value that sorts a destination's messages by due time. */
function waitingAt(place: string, due: number): string {
  return `${place}/${new Date(due).toISOString()}`;
}

function waiting(op: "GREATER_THAN_OR_EQUAL" | "LESS_THAN_OR_EQUAL", value: string): Filter {
  return { propertyFilter: { property: { name: "waiting" }, op, value: { stringValue: value } } };
}

function placeOf({ kind, name }: Destination): string {
  return `${kind}:${name}`;
}

function keyOf({ id }: Pick<SentMessage, "id">): Key {
  return { kind: outboxKind, id: `message ${id}` };
}

function propertiesOf(message: SentMessage, waiting: string, attempts: number): Record<string, DatastoreValue> {
  const { id, destination, body, sent, due, traceparent } = message;
  return {
    waiting: { stringValue: waiting },
    attempts: unindexed(encodeScalar(BigInt(attempts))),
    sent: unindexed(encodeScalar(sent)),
    due: unindexed(encodeScalar(due)),
    kind: text(destination.kind),
    name: text(destination.name),
    body: text(body),
    id: text(id),
    ...(traceparent !== undefined && { traceparent: text(traceparent) }),
  };
}

function text(value: string): DatastoreValue {
  return unindexed({ stringValue: value });
}

function messageOf({ entity: { properties = {} } = {} }: EntityResult): SentMessage {
  const textOf = (name: string): string => properties[name]?.stringValue ?? "";
  const time = (name: string): Date => new Date(properties[name]?.timestampValue ?? 0);
  const destination = { kind: textOf("kind"), name: textOf("name") } as Destination;
  const traceparent = properties["traceparent"]?.stringValue;
  return { id: textOf("id"), destination, body: textOf("body"), sent: time("sent"), due: time("due"), traceparent };
}
