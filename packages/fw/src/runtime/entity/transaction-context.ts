import type { Context } from "../../declare/context.ts";
import type { Host } from "../../declare/host.ts";
import { hosted } from "../../declare/slot.ts";
import type { Transaction } from "../../platform/contract.ts";
import { InnerContext } from "../context.ts";

/** A context inside of a transaction: the one around it, whose entities read and write in the transaction. */
export class TransactionContext extends InnerContext {
  readonly transaction: Transaction;
  /** False once the transaction has ended: what still uses it then would write nothing. */
  open = true;

  constructor(outer: Context, transaction: Transaction) {
    super(outer);
    this.transaction = transaction;
  }

  get host(): Host {
    return hosted(this.outer);
  }

  toJSON(): unknown {
    return this.outer;
  }
}
