import { setTimeout } from "node:timers/promises";
import type { Diagnostic } from "../model/diagnostic.ts";

/** Milliseconds between a change that went live and the check of its types. */
const pauseMs = 300;

/** The check of an application's types, which a newer save makes pointless. */
export class TypeCheck {
  #over: AbortController = new AbortController();

  abort(): void {
    this.#over.abort();
  }

  /** After a pause: whoever saves twice in a row wants the second one live before the first one's types are checked. Undefined when aborted. */
  async run(
    check: (signal: AbortSignal) => Promise<readonly Diagnostic[]>,
  ): Promise<readonly Diagnostic[] | undefined> {
    const { signal } = (this.#over = new AbortController());
    try {
      await setTimeout(pauseMs, undefined, { signal });
      const diagnostics = await check(signal);
      return signal.aborted ? undefined : diagnostics;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}
