import { randomUUID } from "node:crypto";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import { BaseTransaction } from "../../base-transaction.ts";
import { writeAll } from "../../../lib/codec.ts";
import { transactionOptions } from "../../codecs.ts";
import type { Document, Key, TransactionOptions } from "../../contract.ts";
import { encodeDocument, type EncodedDocument } from "../../document.ts";
import { isPlatformError } from "../../errors.ts";
import { operations, transactionSteps } from "../../operations.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../../query-operations.ts";
import type { Fields } from "../../values.ts";
import type { Connection } from "./connection.ts";

const { entities } = operations;

/** Starts in the serving process with its first read; sends its writes with the commit. */
export class LoopbackTransaction extends BaseTransaction {
  readonly #connection: Connection;
  readonly #options: unknown;
  readonly #id = randomUUID();
  /** The writes to send, serialized right away because the caller may change their arguments. */
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
    // If this fails, the transaction times out.
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

/** Encodes without indexes, which only the serving process knows. */
function encodeUnindexed({ kind, id }: Key, fields: Fields): EncodedDocument {
  return encodeDocument({ kind, properties: [], composites: [], indexed: new Map(), unique: [] }, { kind, id }, fields);
}
