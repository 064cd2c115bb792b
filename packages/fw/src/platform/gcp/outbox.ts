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

/** What a transaction sends: its part of the commit, and what follows that. */
export interface KeptMessages {
  readonly mutations: readonly Mutation[];
  /** Hands the messages to their carrier. What fails is left to the sweep. */
  post(): Promise<void>;
}

/** A message that could not be posted, and why. */
export interface LeftMessage {
  readonly id: string;
  readonly destination: Destination;
  readonly error: unknown;
}

interface OutboxParts {
  readonly datastore: Datastore;
  readonly post: (message: SentMessage) => Promise<void>;
}

/** What a process has to do with messages that were left behind. */
export interface Sweeping {
  /** Where its service sends to. */
  readonly destinations: readonly Destination[];
  readonly tell: (left: LeftMessage) => void;
}

/** Milliseconds after which a message counts as left behind by who sent it. */
const leftMs = 30_000;

/** Milliseconds between two looks for messages that were left behind; a part of it at random, so that instances take turns. */
const lookMs = 60_000;

/** Milliseconds until a message that could not be posted is tried again: as many at first, twice as many each time, and at most. */
const pauseMs = 60_000;
const longestPauseMs = 3_600_000;

/** Milliseconds for which a service leaves messages alone that it may not send. */
const refusedMs = 600_000;

/** Messages that one look takes of a destination at a time, and how often. */
const swept = 100;
const looks = 10;

/** Messages that are posted at the same time. */
const atOnce = 8;

const outboxKind = "_fw_outbox";

/**
 * Messages that transactions send. Each is a document of the same commit; after it, the message is posted and the document deleted.
 * A process that dies in between leaves the document, and another posts the message: it comes once or twice, never without the
 * commit, and never not at all. Messages wait by destination, so that one that cannot be reached holds up no other, and one that
 * cannot be posted goes behind those that came after it.
 */
export class Outbox {
  readonly #datastore: Datastore;
  readonly #post: (message: SentMessage) => Promise<void>;
  readonly #over: AbortController = new AbortController();
  /** Destinations that this service may not send to, and until when that is believed: others may, and grants take minutes to be known. */
  readonly #refused = new Map<string, number>();
  #watching: Promise<void> | undefined;

  constructor({ datastore, post }: OutboxParts) {
    this.#datastore = datastore;
    this.#post = post;
  }

  keep(messages: readonly PendingMessage[]): KeptMessages {
    const sent = this.#datastore.now();
    const posted = messages.map(({ id, destination, message }): SentMessage => {
      const due = new Date(sent + (message.delay ?? 0));
      const { body, traceparent } = message;
      return { id, destination, body, sent: new Date(sent), due, traceparent };
    });
    return {
      mutations: posted.map((message) => ({
        insert: {
          key: this.#datastore.keyOf(keyOf(message)),
          properties: propertiesOf(message, waitingAt(placeOf(message.destination), sent + leftMs), 0),
        },
      })),
      post: async () => {
        await Promise.all(posted.map((message) => this.#deliver(message)));
      },
    };
  }

  /** Sweeps now and about every minute that the process has a processor for, until the outbox is closed. */
  watch(sweeping: Sweeping): void {
    this.#watching ??= this.#watch(sweeping);
  }

  /** Resolves when no sweep is under way any more. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the outbox is closed"));
    await this.#watching;
  }

  /** Posts messages that were left behind, of each destination those first that have waited longest; resolves with their number. */
  async sweep({ destinations, tell }: Sweeping): Promise<number> {
    const swept = await Promise.all(destinations.map((destination) => this.#sweep(destination, tell)));
    return swept.reduce((sum, count) => sum + count, 0);
  }

  async #watch(sweeping: Sweeping): Promise<void> {
    const { clock } = this.#datastore;
    const { signal } = this.#over;
    while (!signal.aborted) {
      // What could not be looked at is looked at again.
      await this.sweep(sweeping).catch(() => {});
      await clock.sleep(lookMs * (0.75 + Math.random() / 2), signal, { background: true }).catch(() => {});
    }
  }

  async #sweep(destination: Destination, tell: Sweeping["tell"]): Promise<number> {
    const place = placeOf(destination);
    let posted = 0;
    for (let look = 0; look < looks && !this.#over.signal.aborted && !this.#isRefused(place); look++) {
      const left = await this.#due(place);
      for (let i = 0; i < left.length; i += atOnce) {
        const done = await Promise.all(left.slice(i, i + atOnce).map((result) => this.#deliverLeft(result, tell)));
        posted += done.filter(Boolean).length;
      }
      if (left.length < swept) break;
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
      limit: swept,
    });
    return entityResults;
  }

  /** What fails is left to the sweep. */
  async #deliver(message: SentMessage): Promise<void> {
    try {
      await this.#post(message);
      await this.#drop(message);
    } catch {
      // The document is there, so the sweep finds it.
    }
  }

  /** False where it has to wait for longer. */
  async #deliverLeft(result: EntityResult, tell: Sweeping["tell"]): Promise<boolean> {
    const message = messageOf(result);
    const place = placeOf(message.destination);
    if (this.#isRefused(place)) return false;
    try {
      await this.#post(message);
    } catch (error) {
      tell({ ...message, error });
      // Who may send there posts it.
      if (isRefusal(error)) this.#refused.set(place, this.#datastore.now() + refusedMs);
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

  /** Where another instance has put it back, or posted it, that holds. */
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

/** Whether a carrier says that this service may not send there. */
function isRefusal(error: unknown): boolean {
  return isPlatformError(error, "denied") || (error instanceof CloudError && error.code === "PERMISSION_DENIED");
}

/** Messages of one destination are together in the index, in the order in which they are due. */
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
