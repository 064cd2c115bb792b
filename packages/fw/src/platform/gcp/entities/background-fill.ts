import type { Datastore } from "./datastore.ts";
import type { IndexRegistry } from "./index-registry.ts";

/**
 * The number of documents to read per batch. It is small, because decoding a batch delays the process's other requests.
 */
const batchDocuments = 20;

/** Milliseconds from a kind's failed fill until the next one may start. */
const retryMs = 60_000;

/**
 * Fills indexes that queries need, while the process has CPU. `fw deploy` fills them before it switches traffic; this
 * class is for applications that other tools deploy.
 */
export class BackgroundFill {
  readonly #datastore: Datastore;
  readonly #indexes: IndexRegistry;
  readonly #over: AbortController = new AbortController();
  readonly #fills = new Map<string, Promise<void>>();

  constructor(datastore: Datastore, indexes: IndexRegistry) {
    this.#datastore = datastore;
    this.#indexes = indexes;
  }

  start(kind: string): void {
    if (this.#over.signal.aborted || this.#fills.has(kind)) return;
    this.#fills.set(
      kind,
      this.#fill(kind).finally(() => this.#fills.delete(kind)),
    );
  }

  /** Aborts running fills, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the platform is closed"));
    await Promise.all(this.#fills.values());
  }

  async #fill(kind: string): Promise<void> {
    const { signal } = this.#over;
    try {
      const { fillIndexes } = await import("./index-fill.ts");
      await fillIndexes(this.#datastore, kind, { signal, batchDocuments });
      this.#indexes.forget();
    } catch {
      // The platform is closing, Datastore has failed, or this service may not write documents.
      await this.#datastore.clock.sleep(retryMs, signal, { background: true }).catch(() => {});
    }
  }
}
