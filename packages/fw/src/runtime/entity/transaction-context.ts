import type { Context } from "../../declare/context.ts";
import type { Transaction } from "../../platform/contract.ts";
import { ScopedContext } from "../context.ts";

/** A context whose entity operations run in a transaction. */
export class TransactionContext extends ScopedContext {
  readonly transaction: Transaction;
  /** False once the transaction has ended, because later writes would be lost. */
  open = true;
  readonly afterCommit: (() => void)[] = [];

  constructor(outer: Context, transaction: Transaction) {
    super(outer);
    this.transaction = transaction;
  }
}
