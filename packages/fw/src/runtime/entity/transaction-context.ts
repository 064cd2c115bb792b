import type { Context } from "../../declare/context.ts";
import type { Transaction } from "../../platform/contract.ts";
import { ScopedContext } from "../context.ts";

/** A context inside a transaction: entities read and write in the transaction. */
export class TransactionContext extends ScopedContext {
  readonly transaction: Transaction;
  /** False once the transaction has ended, because a later write would be lost. */
  open = true;
  readonly afterCommit: (() => void)[] = [];

  constructor(outer: Context, transaction: Transaction) {
    super(outer);
    this.transaction = transaction;
  }
}
