import { messageOf } from "../../lib/thrown.ts";
import type { Lease, Platform } from "../../platform/contract.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledEntity } from "../bundle.ts";
import { countOutdated, hasRuledIndexes, rewriteOutdated } from "../entity/rewrite.ts";
import { BackgroundContext } from "./context.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** The number of documents that are rewritten at once. Requests may have to wait for one batch. */
const batchDocuments = 10;

/** The pause after a batch as a multiple of the batch's duration. It leaves most of the platform's time to requests. */
const pauseFactor = 4;

/** Milliseconds before an entity is checked again, because an older version may still be writing documents. */
const checkMs = 60_000;

/** The term of the lease in milliseconds. If its holder dies, other processes wait for this long. */
const leaseMs = 15_000;

/** Milliseconds between two log lines about progress. */
const progressMs = 60_000;

/** The maximum number of documents that the log names if they cannot be rewritten. */
const namedDocuments = 5;

type App = BackgroundPorts & Wiring;

/**
 * Rewrites documents written by older code, for indexes of fields that a migration rule fills in. The platform tracks
 * which documents are left, so another process can continue after a crash. A lease lets one process work at a time.
 */
export class Rewriting {
  readonly #app: App;
  readonly #platform: Platform;
  readonly #ended = new AbortController();
  readonly #tasks: readonly Promise<void>[];

  constructor(app: App, platform: Platform) {
    this.#app = app;
    this.#platform = platform;
    this.#tasks = (app.bundle.entities ?? []).filter(hasRuledIndexes).map((entity) => this.#watch(entity));
  }

  /** Stops rewriting. Resolves once the batch in progress is written. */
  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#tasks);
  }

  async #watch(entity: BundledEntity): Promise<void> {
    const { clock, entities } = this.#platform;
    const ctx = new BackgroundContext(this.#app, {
      tags: { entity: entity.name },
      id: `rewrite-${entity.name}`,
      signal: this.#ended.signal,
    });
    let wait = 0;
    while (await sleepUntilAborted(clock, wait, this.#ended.signal)) {
      wait = checkMs;
      try {
        if ((await countOutdated(entities, entity, 1)) > 0 && !(await this.#rewriteAll(entity, ctx))) wait = leaseMs;
      } catch (error) {
        if (!this.#ended.signal.aborted) ctx.log.warn(`older documents were not rewritten: ${messageOf(error)}`);
      }
    }
  }

  /**
   * Rewrites outdated documents until none is left or the process stops. Returns false if another process holds the
   * lease.
   */
  async #rewriteAll(entity: BundledEntity, ctx: BackgroundContext): Promise<boolean> {
    const { clock, entities, leases } = this.#platform;
    let lease: Lease | undefined = await leases.acquire(`rewrite ${entity.name}`, leaseMs);
    if (lease === undefined) return false;
    const { signal } = this.#ended;
    const total = await countOutdated(entities, entity);
    ctx.log.info("rewriting older documents for an index", { documents: total });
    let [rewritten, renewed, reported] = [0, clock.elapsed(), clock.elapsed()];
    const unchanged = [];
    try {
      let after: string | undefined;
      do {
        const began = clock.elapsed();
        const batch = await rewriteOutdated(entities, entity, { limit: batchDocuments, after });
        after = batch.next;
        rewritten += batch.documents;
        unchanged.push(...batch.unchanged);
        const now = clock.elapsed();
        if (now - renewed > leaseMs / 3) {
          lease = await lease.renew(leaseMs);
          renewed = now;
        }
        if (after !== undefined && now - reported > progressMs) {
          ctx.log.info("older documents are being rewritten", {
            rewritten,
            left: await countOutdated(entities, entity),
          });
          reported = now;
        }
        if (after !== undefined) await sleepUntilAborted(clock, (now - began) * pauseFactor, signal);
      } while (after !== undefined && !signal.aborted);
    } finally {
      await lease.release().catch(() => {});
    }
    if (signal.aborted) return true;
    ctx.log.info("older documents were rewritten", { documents: rewritten });
    for (const { id, reason } of unchanged.slice(0, namedDocuments))
      ctx.log.warn("a document was not rewritten, so queries that would miss it fail", { id, reason });
    if (unchanged.length > namedDocuments)
      ctx.log.warn("more documents were not rewritten", { documents: unchanged.length - namedDocuments });
    return true;
  }
}
