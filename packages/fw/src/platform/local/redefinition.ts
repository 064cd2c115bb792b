import type { Definitions, Redefinition } from "../contract.ts";
import { readDefinitions } from "../definitions.ts";
import type { Catalog } from "./catalog.ts";
import type { LocalMessages } from "./messages.ts";
import type { LocalObjects } from "./objects.ts";

/** The parts of an open store that depend on definitions. */
interface DefinedParts {
  readonly catalog: Catalog;
  readonly objects: LocalObjects;
  readonly messages: LocalMessages;
}

/** Changes the definitions of an open store in two phases. */
export class Redefinitions {
  readonly #parts: DefinedParts;
  /** The committed definitions as JSON. */
  #committed: string;

  constructor(parts: DefinedParts, committed: Definitions) {
    this.#parts = parts;
    this.#committed = JSON.stringify(committed);
  }

  async prepare(next: Definitions, signal?: AbortSignal): Promise<Redefinition> {
    const { catalog, objects, messages } = this.#parts;
    const text = JSON.stringify(next);
    // The new code may accept messages that the previous code did not.
    if (text === this.#committed) return { commit: async () => messages.retryMisfits(), abandon: () => {} };
    const { consumers = [], buckets = [] } = next;
    messages.check(consumers);
    const { FillPace } = await import("../fill-pace.ts");
    const kinds = await catalog.prepare(readDefinitions(next), signal, new FillPace());
    const forbidBuckets = objects.allow(buckets);
    return {
      commit: async () => {
        objects.allow(buckets);
        messages.redefine(consumers);
        messages.retryMisfits();
        this.#committed = text;
        await kinds.commit();
      },
      abandon: () => {
        forbidBuckets();
        kinds.abandon();
      },
    };
  }
}
