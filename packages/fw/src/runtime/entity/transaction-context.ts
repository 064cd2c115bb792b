import type { Context } from "../../declare/context.ts";
import type { Transaction } from "../../platform/contract.ts";
import { ScopedContext } from "../context.ts";

/** A context inside of a transaction: entities of the outer context read and write in the transaction. */
export class TransactionContext extends ScopedContext {
  readonly transaction: Transaction;
  /** False after the transaction has ended: a later write would be lost. */
  open = true;
  /** Called once the transaction has committed. */
  readonly afterCommit: (() => void)[] = [];

  constructor(outer: Context, transaction: Transaction) {
    super(outer);
    this.transaction = transaction;
  }
}
