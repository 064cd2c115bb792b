import type { Document, Key, TransactionOptions, Version } from "../../contract.ts";
import { BaseEntities } from "../../base-entities.ts";
import { isStorableId, type EncodedDocument } from "../../document.ts";
import type { PlatformError } from "../../errors.ts";
import { refusalOf, type SingleWrite } from "../../pending-writes.ts";
import { copyOfArgs } from "../../query-copy.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../../query-operations.ts";
import { transact } from "../../transact.ts";
import type { Fields } from "../../values.ts";
import { CloudTransaction, type TransactionParts } from "./transaction.ts";

/** Documents in Firestore in Datastore mode. */
export class CloudEntities extends BaseEntities {
  readonly #parts: TransactionParts;

  constructor(parts: TransactionParts) {
    super();
    this.#parts = parts;
  }

  async begin(options?: TransactionOptions): Promise<CloudTransaction> {
    this.#parts.underWay.refuseIfClosed();
    return new CloudTransaction(this.#parts, options?.fence);
  }

  check(kind: string): void {
    this.#parts.reads.check(kind);
  }

  encode(key: Key, fields: Fields): EncodedDocument {
    return this.#parts.reads.encode(key, fields);
  }

  protected ask<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const copy = copyOfArgs(args);
    return this.#parts.underWay.during(async () => (await this.#parts.reads.ask[name](copy)).result);
  }

  protected find(keys: readonly Key[]): Promise<(Document | undefined)[]> {
    const { reads, underWay } = this.#parts;
    return underWay.during(async () => (await reads.lookUp(keys)).result.map((stored) => reads.documentOf(stored)));
  }

  /** Writes in a transaction, which needs only one request without a condition or a unique value to check. */
  protected write(write: SingleWrite): Promise<Version> {
    return this.#parts.underWay.during(async () => {
      if (!isStorableId(write.key.id)) return "";
      const mustLook = write.expects === "present" || write.version !== undefined;
      let committed: CloudTransaction | undefined;
      const refusal = await transact(
        { entities: this, clock: this.#parts.datastore.clock },
        async (transaction): Promise<PlatformError | undefined> => {
          committed = transaction as CloudTransaction;
          const before = mustLook && (await committed.get(write.key));
          const refusal = before === false ? undefined : refusalOf(write, before);
          // Deleting a missing document needs no write.
          if (refusal === undefined && (before !== undefined || write.document !== undefined)) committed.take(write);
          return refusal;
        },
        { until: this.#parts.datastore.lifetime },
      );
      if (refusal !== undefined) throw refusal;
      return committed?.version ?? "";
    });
  }
}
