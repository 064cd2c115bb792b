import { passwordDerivations, passwordsWaiting } from "../../../lib/limits.ts";
import { PlatformError } from "../../errors.ts";

/**
 * Limits how many calls that hash a password are in flight, as the platform itself does, so that they cannot occupy all
 * connections.
 */
export class Derivations {
  #underWay = 0;

  /** Throws a PlatformError `busy` if too many calls are waiting. */
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
