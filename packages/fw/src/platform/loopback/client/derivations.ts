import { passwordDerivations, passwordsWaiting } from "../../../lib/limits.ts";
import { PlatformError } from "../../errors.ts";

/** Calls under way that derive a password: the platform has a bound, and so has the queue before its connections. */
export class Derivations {
  #underWay = 0;

  /** Fails with `busy` where too many wait. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.#underWay === passwordDerivations + passwordsWaiting)
      throw new PlatformError("busy", `${passwordsWaiting} passwords are waiting to be hashed; try again later`);
    this.#underWay++;
    try {
      return await call();
    } finally {
      this.#underWay--;
    }
  }
}
