import { encodeTagged } from "../../lib/tagged-json.ts";
import { systemClock } from "../clock.ts";
import { writeAll } from "../../lib/codec.ts";
import { type HeldLease, type OpenedObject, transactionOptions } from "../codecs.ts";
import type { Changes } from "../changes.ts";
import type { Platform, Document, Key, TransactionOptions } from "../contract.ts";
import { checkWrite } from "../base-objects.ts";
import { leaseOf } from "../lease.ts";
import { bytes, type AnyOperation, type Call } from "../operation.ts";
import { portsWith, operations, transactionSteps } from "../operations.ts";
import type { Lifetime, Ports } from "../lifetime.ts";
import { endingWith } from "../ports-until.ts";
import { Connection, type Address } from "./client/connection.ts";
import { Derivations } from "./client/derivations.ts";
import { upload } from "./client/upload.ts";
import { randomUUID } from "node:crypto";
import { BaseTransaction } from "../base-transaction.ts";
import { encodeDocument, type EncodedDocument } from "../document.ts";
import { isPlatformError } from "../errors.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../query-operations.ts";
import type { Fields } from "../values.ts";
import type { IncomingMessage } from "node:http";
import { pulled } from "../../lib/pulled.ts";
import type { StoredObject } from "../objects.ts";

/** Opens a platform that another process of this machine serves (see `server.ts`). Connects on the first call. */
export function openLoopback(address: Address, changesOver?: ChangesOver): Platform {
  return platformBehind(new Connection(address), changesOver);
}

/** Opens the stream of changes. Only bundles of services that watch documents contain its code. */
type ChangesOver = (connection: Connection) => Changes;

export function platformBehind(connection: Connection, changesOver?: ChangesOver): Platform {
  const sharedState = { derivations: new Derivations(), openedObjects: new OpenedObjects(connection) };
  return {
    ...portsOf(connection, sharedState),
    ...(changesOver && { changes: changesOver(connection) }),
    clock: systemClock,
    until(lifetime) {
      connection.refuseIfClosed();
      const ports = portsOf(connection, sharedState, lifetime);
      return endingWith(lifetime, () => ports);
    },
    close: () => connection.close(),
  };
}

interface SharedState {
  readonly derivations: Derivations;
  readonly openedObjects: OpenedObjects;
}

function portsOf(connection: Connection, { derivations, openedObjects }: SharedState, lifetime?: Lifetime): Ports {
  const handlers = {
    lease: (held: HeldLease) => leaseOf(ports.leases, held),
    object: (object: OpenedObject) => openedObjects.objectOf(object),
  };
  const ports = portsWith(
    (port, method, operation) => {
      const call = callOf(connection, `${port}/${method}`, operation, lifetime);
      const { derives, handle } = operation;
      if (handle !== undefined) return async (...callArgs) => withHandler(await call(...callArgs), handlers[handle]);
      if (derives === undefined) return call;
      return (...callArgs) => (derives(...callArgs) ? derivations.during(() => call(...callArgs)) : call(...callArgs));
    },
    async (options) => {
      connection.refuseIfClosed();
      return new LoopbackTransaction(connection, options);
    },
  );
  return ports;
}

function withHandler(result: unknown, hand: (result: never) => unknown): unknown {
  return result === undefined ? undefined : hand(result as never);
}

function callOf(connection: Connection, path: string, operation: AnyOperation, lifetime: Lifetime | undefined): Call {
  const { does, args: codecs, answers, checks } = operation;
  const encodeArgs = (callArgs: readonly unknown[]): string => encodeTagged(writeAll(codecs, callArgs));
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0) return uploadOf(connection, path, operation, { textOf: encodeArgs, body });
  return async (...callArgs) => {
    checks?.(...callArgs);
    return answers.read(await connection[does](path, encodeArgs(callArgs), lifetime), "the answer");
  };
}

/** Like `callOf`, for an operation with a body argument. The options after the body may have a signal. */
function uploadOf(
  connection: Connection,
  path: string,
  { answers, checks }: AnyOperation,
  { textOf, body: at }: { readonly textOf: (callArgs: readonly unknown[]) => string; readonly body: number },
): Call {
  return async (...callArgs) => {
    const body = callArgs[at] as ReadableStream<Uint8Array>;
    const { signal } = callArgs[at + 1] as { readonly signal?: AbortSignal };
    checkWrite(body, () => {
      connection.refuseIfClosed();
      checks?.(...callArgs);
    });
    const signals = [connection.closing, ...(signal === undefined ? [] : [signal])];
    const answer = await connection.upload(path, textOf(callArgs), (request) => upload(request, body, signals));
    return answers.read(answer, "the answer");
  };
}

const { entities } = operations;

/** A transaction that starts in the serving process on its first read, and sends its writes when it commits. */
class LoopbackTransaction extends BaseTransaction {
  readonly #connection: Connection;
  readonly #options: unknown;
  readonly #id = randomUUID();
  /** The writes to send. They are serialized immediately, because the caller may change their arguments. */
  readonly #steps: string[] = [];
  /** The first read in flight; other reads wait for it. */
  #beginning: Promise<void> | undefined;
  #begun = false;

  constructor(connection: Connection, options: TransactionOptions = {}) {
    super({ encode: encodeUnindexed, check: () => {} });
    this.#connection = connection;
    this.#options = transactionOptions.write(options);
  }

  protected async answer<Name extends QueryOperation>(
    name: Name,
    queryArgs: QueryArgs[Name],
  ): Promise<QueryResults[Name]> {
    return entities[name].answers.read(await this.#read(name, queryArgs), "the answer") as QueryResults[Name];
  }

  protected async find(key: Key): Promise<Document | undefined> {
    return entities.get.answers.read(await this.#read("get", [key]), "the answer");
  }

  protected async carryOut(): Promise<void> {
    const id = this.#begun ? this.#id : undefined;
    const head = encodeTagged([id, this.#options]).slice(0, -1);
    await this.#connection.write("transactions/commit", `${head},[${this.#steps.join(",")}]]`);
  }

  protected override async giveUp(): Promise<void> {
    // If this fails, the transaction will time out.
    if (this.#begun) await this.#connection.write("transactions/rollback", encodeTagged([this.#id])).catch(() => {});
  }

  protected override onStep(name: keyof typeof transactionSteps, queryArgs: readonly unknown[]): void {
    this.#steps.push(encodeTagged([name, ...writeAll(transactionSteps[name].args, queryArgs)]));
  }

  async #read(name: "get" | QueryOperation, queryArgs: readonly unknown[]): Promise<unknown> {
    const encodedArgs = encodeTagged(writeAll(entities[name].args, queryArgs));
    while (this.#beginning !== undefined) await this.#beginning;
    this.refuseIfEnded();
    const reading = this.#ask(`transactions/${name}`, encodedArgs);
    if (this.#begun) return reading;
    const onAnswer = (isStarted: boolean): void => {
      this.#begun = isStarted;
      this.#beginning = undefined;
    };
    this.#beginning = reading.then(
      () => onAnswer(true),
      () => onAnswer(false),
    );
    return reading;
  }

  async #ask(operation: string, encodedArgs: string): Promise<unknown> {
    const reference = { id: this.#id, begin: !this.#begun, options: this.#begun ? {} : this.#options };
    try {
      return await this.#connection.read(operation, `[${encodeTagged(reference)},${encodedArgs.slice(1)}`);
    } catch (error) {
      if (isPlatformError(error, "conflict")) this.end();
      throw error;
    }
  }
}

/** Encodes a document without index values, because only the serving process knows the indexes. */
function encodeUnindexed({ kind, id }: Key, fields: Fields): EncodedDocument {
  return encodeDocument({ kind, properties: [], composites: [], indexed: new Map(), unique: [] }, { kind, id }, fields);
}

/** Opened objects whose bytes remain in the serving process. */
class OpenedObjects {
  readonly #connection: Connection;
  /** Handles of garbage-collected objects; the next opened object releases them. */
  #forgotten: string[] = [];
  readonly #abandoned = new FinalizationRegistry<string>((handle) => this.#forgotten.push(handle));

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  objectOf({ handle, ...facts }: OpenedObject): StoredObject {
    const unreachable = this.#forgotten.splice(0);
    // If this fails, the handles are released when the connection closes.
    if (unreachable.length > 0) this.#connection.write("objects/forget", encodeTagged([unreachable])).catch(() => {});
    const object: StoredObject = {
      ...facts,
      stream: (range) => {
        const text = encodeTagged([handle, range]);
        return downloadStream(() => this.#connection.download("objects/read", text), object);
      },
    };
    this.#abandoned.register(object, handle);
    return object;
  }
}

/**
 * Streams a response with backpressure. Sends the request on the first read; canceling the stream closes its
 * connection. Keeps `holder` reachable.
 */
function downloadStream(ask: () => Promise<IncomingMessage>, holder: object): ReadableStream<Uint8Array> {
  let answer: Promise<IncomingMessage> | undefined;
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    answer = ask();
    yield* await answer;
  }
  const cancel = async (): Promise<void> => void (await answer?.catch(() => undefined))?.destroy();
  return pulled(bytes(), { cancel, holder });
}
