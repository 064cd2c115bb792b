import { withMethods } from "../../with-methods.ts";
import type { Platform, Transaction } from "../../contract.ts";
import { operations, operationsOf, transactionSteps, type PortName } from "../../operations.ts";

/** Operations that services never call; only the process that runs the services does. */
const elsewhere = ["accounts.testUser"];

/** Records the names of the operations that a platform receives. */
export class CalledOperations {
  readonly #called = new Set<string>(elsewhere);

  /** Wraps a platform and records every operation that it receives. */
  of(platform: Platform): Platform {
    // Optional operations that a platform lacks cannot be called.
    for (const [port, name] of [
      ["accounts", "change"],
      ["accounts", "checkPassword"],
      ["objects", "openGrant"],
    ] as const)
      if (!(name in platform[port])) this.#called.add(`${port}.${name}`);
    const entities = this.#recorded("entities", platform.entities);
    return {
      ...platform,
      entities: withMethods(entities, {
        begin: async (options) => this.#transaction(await platform.entities.begin(options)),
      }),
      leases: this.#recorded("leases", platform.leases),
      accounts: this.#recorded("accounts", platform.accounts),
      objects: this.#recorded("objects", platform.objects),
      messages: this.#recorded("messages", platform.messages),
    };
  }

  /** Returns the operations and transaction steps that no test has called. */
  missing(): readonly string[] {
    const all = (Object.keys(operations) as PortName[]).flatMap((port) =>
      operationsOf(port).map(([name]) => `${port}.${name}`),
    );
    const steps = Object.keys(transactionSteps).map((name) => `transaction.${name}`);
    return [...all, ...steps].filter((name) => !this.#called.has(name));
  }

  #transaction(transaction: Transaction): Transaction {
    return this.#recorded("transaction", transaction);
  }

  #recorded<T extends object>(port: string, target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        this.#called.add(`${port}.${String(name)}`);
        return member.bind(target) as unknown;
      },
    });
  }
}
