import type { Fence, Lease, Leases } from "../../contract.ts";
import type { Connection } from "./connection.ts";

type WireLease = Pick<Lease, "name" | "token" | "expires">;

/** Leases of a store that another process keeps. */
export class LoopbackLeases implements Leases {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async acquire(name: string, milliseconds: number): Promise<Lease | undefined> {
    const taken = await this.#connection.write<WireLease | undefined>("leases/acquire", { name, milliseconds });
    return taken && this.#held(taken);
  }

  async renew({ name, token }: Fence, milliseconds: number): Promise<Lease> {
    return this.#held(await this.#connection.write("leases/renew", { name, token, milliseconds }));
  }

  async release({ name, token }: Fence): Promise<void> {
    await this.#connection.write("leases/release", { name, token });
  }

  #held({ name, token, expires }: WireLease): Lease {
    return {
      name,
      token,
      expires,
      renew: (milliseconds) => this.renew({ name, token }, milliseconds),
      release: () => this.release({ name, token }),
    };
  }
}
