import type { Client, Context, HTMX, Logger } from "../../declare/context.ts";
import { HOST } from "../../declare/slot.ts";
import type { User } from "../../declare/user.ts";
import type { Transaction } from "../../platform/contract.ts";

/** A context inside of a transaction: the one around it, whose entities read and write in the transaction. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export class TransactionContext {
  readonly parent: Context;
  readonly transaction: Transaction;
  /** False once the transaction has ended: what still uses it then would write nothing. */
  open = true;

  constructor(parent: Context, transaction: Transaction) {
    this.parent = parent;
    this.transaction = transaction;
  }

  get client(): Client {
    return this.parent.client;
  }

  get log(): Logger {
    return this.parent.log;
  }

  get isHTMX(): boolean {
    return this.parent.isHTMX;
  }

  get htmx(): HTMX {
    return this.parent.htmx;
  }

  get wantsFragment(): boolean {
    return this.parent.wantsFragment;
  }

  get origin(): string {
    return this.parent.origin;
  }

  get signal(): AbortSignal {
    return this.parent.signal;
  }

  get requestId(): string {
    return this.parent.requestId;
  }

  user(): User {
    return this.parent.user();
  }

  maybeUser(): User | undefined {
    return this.parent.maybeUser();
  }

  toJSON(): unknown {
    return this.parent;
  }
}

/** Declarations reach the runtime through it; a class cannot name it, being of another module. */
export interface TransactionContext extends Context {
  readonly [HOST]: object;
}

Object.defineProperty(TransactionContext.prototype, HOST, {
  get(this: TransactionContext): object {
    return this.parent[HOST];
  },
});
