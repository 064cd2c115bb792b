import { setImmediate } from "node:timers/promises";
import type { Lease, Platform } from "../../platform/contract.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledSingleton } from "../bundle.ts";
import { BackgroundContext } from "./context.ts";
import { reportFailure } from "./failure.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** Limit: milliseconds until a singleton's lease expires without renewal. */
const singletonLeaseMs = 15_000;

/** Limit: milliseconds before a singleton's body restarts, doubled for each further restart. */
const singletonPauseMs = 1_000;

/** Limit: the maximum pause before a singleton's body restarts, in milliseconds. */
const singletonPauseCeilingMs = 60_000;

/** A lease, and when it ends on the monotonic clock of this process. */
interface LeaseTerm {
  readonly lease: Lease;
  /**
   * The end of the term, counted from before the request that took or renewed the lease, so no other process can take
   * the lease earlier.
   */
  readonly until: number;
}

/** Keeps the body of each singleton running, in at most one process at a time. */
export class Singletons {
  readonly #app: BackgroundPorts;
  readonly #platform: Platform;
  readonly #ended: AbortController = new AbortController();
  readonly #bodies: readonly Promise<void>[];

  constructor(app: BackgroundPorts & Wiring, platform: Platform) {
    this.#app = app;
    this.#platform = platform;
    this.#bodies = (app.bundle.singletons ?? []).map((singleton) => this.#superviseBody(singleton));
  }

  /** Aborts the bodies. Resolves once they have ended and the next application may start its own. */
  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#bodies);
  }

  async #superviseBody(singleton: BundledSingleton): Promise<void> {
    const { clock } = this.#platform;
    for (let failures = 0; ;) {
      const term = await this.#acquire(singleton);
      if (term === undefined) return;
      const started = clock.elapsed();
      await this.#runOnce(singleton, term);
      // If the body ran well for a while, restart it without the backoff for earlier failures.
      failures = clock.elapsed() - started > singletonPauseCeilingMs ? 1 : failures + 1;
      const pause = Math.min(singletonPauseCeilingMs, singletonPauseMs * 2 ** (failures - 1));
      if (!(await sleepUntilAborted(clock, pause, this.#ended.signal))) return;
    }
  }

  /** Waits for the lease. Returns undefined if the application is stopped first. */
  async #acquire({ name }: BundledSingleton): Promise<LeaseTerm | undefined> {
    const { clock, leases } = this.#platform;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const until = clock.elapsed() + singletonLeaseMs;
      const lease = await leases.acquire(`singleton:${name}`, singletonLeaseMs).catch(() => undefined);
      if (lease !== undefined && clock.elapsed() < until) return { lease, until };
      // The response was so slow that the lease may have ended.
      await lease?.release().catch(() => {});
      await sleepUntilAborted(clock, singletonLeaseMs / 3, signal);
    }
    return undefined;
  }

  async #runOnce(singleton: BundledSingleton, term: LeaseTerm): Promise<void> {
    const { name, service, declaration } = singleton;
    const leaseLost = new AbortController();
    const bodyEnded = new AbortController();
    const signal = AbortSignal.any([this.#ended.signal, leaseLost.signal]);
    const ctx = new BackgroundContext(this.#app, {
      tags: { singleton: name },
      id: `singleton-${name}`,
      signal,
      fence: term.lease,
      service,
    });
    const renewal = this.#renewLease(term, leaseLost, bodyEnded.signal);
    try {
      // Start in a separate turn of the event loop: a body that never waits must not block the start of the
      // application.
      await setImmediate();
      await declaration.body(ctx);
      if (!signal.aborted) ctx.log.warn("the singleton ended and will be restarted");
    } catch (error) {
      const sentence = "the singleton failed and will be restarted";
      if (!signal.aborted) reportFailure(ctx, { sentence, route: `singleton ${name}` }, error);
    } finally {
      bodyEnded.abort();
      await renewal;
    }
  }

  /** Renews the lease while the body runs. Aborts the body if the lease is lost or cannot be renewed in time. */
  async #renewLease(term: LeaseTerm, leaseLost: AbortController, bodyEnded: AbortSignal): Promise<void> {
    const { clock } = this.#platform;
    let { lease, until } = term;
    try {
      for (;;) {
        await clock.sleep(Math.min(singletonLeaseMs / 3, until - clock.elapsed()), bodyEnded);
        const renewedUntil = clock.elapsed() + singletonLeaseMs;
        lease = await this.#before(until, lease.renew(singletonLeaseMs));
        until = renewedUntil;
      }
    } catch {
      if (!bodyEnded.aborted) leaseLost.abort(new Error("the lease of the singleton was lost"));
    }
    await lease.release().catch(() => {});
  }

  /** Settles like `work`, but rejects if it has not resolved before `until`, an instant of the monotonic clock. */
  async #before<T>(until: number, work: Promise<T>): Promise<T> {
    const { clock } = this.#platform;
    const done = new AbortController();
    const late = async (): Promise<never> => {
      await clock.sleep(until - clock.elapsed(), done.signal);
      throw new Error("too late");
    };
    try {
      const result = await Promise.race([work, late()]);
      if (clock.elapsed() >= until) throw new Error("too late");
      return result;
    } finally {
      done.abort();
    }
  }
}
