import { messageOf } from "../../lib/thrown.ts";
import type { Lease, Platform } from "../../platform/contract.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledEntity } from "../bundle.ts";
import { countOutdated, hasRuledIndexes, rewriteOutdated } from "../entity/rewrite.ts";
import { BackgroundContext } from "./context.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** Documents to rewrite at once: requests wait no longer than for one batch. */
const batchDocuments = 10;

/** The ratio of a pause to the duration of the batch before it, so that requests keep most of the platform's time. */
const pauseFactor = 4;

/** Milliseconds before an entity is looked at again: an older version may still have written documents. */
const checkMs = 60_000;

/** Milliseconds that a lease lasts without being renewed; if its holder dies, other processes wait this long. */
const leaseMs = 15_000;

/** Milliseconds between two log lines about progress. */
const progressMs = 60_000;

/** Documents that the log names of those that keep their old form. */
const namedDocuments = 5;

type App = BackgroundPorts & Wiring;

/**
 * Rewrites the documents that older code wrote, for indexes of fields that a rule fills. The platform knows which they
 * are, so a process that is killed leaves the others to the next one. A lease keeps all but one process waiting.
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

  /** Resolves when the batch in progress is written. */
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

  /** Returns false if another process does it, or has taken over. */
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
      ctx.log.warn("a document keeps its old form, and queries that would miss it fail", { id, reason });
    if (unchanged.length > namedDocuments)
      ctx.log.warn("further documents keep their old form", { documents: unchanged.length - namedDocuments });
    return true;
  }
}
