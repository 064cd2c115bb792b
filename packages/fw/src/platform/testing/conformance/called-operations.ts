import { withMethods } from "../../with-methods.ts";
import type { Platform, Transaction } from "../../contract.ts";
import { operations, operationsOf, transactionSteps, type PortName } from "../../operations.ts";

/** What a laptop's platform has made for it by who runs its services. */
const elsewhere = ["accounts.testUser"];

/** Which operations of a platform were asked for. */
export class CalledOperations {
  readonly #called = new Set<string>(elsewhere);

  /** The same platform; what it is asked for is written down. */
  of(platform: Platform): Platform {
    // What a platform may leave out, and does, nobody can ask it for.
    for (const [port, name] of [
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

  /** The operations and steps of transactions that nobody asked for. */
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
