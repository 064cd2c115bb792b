import { setImmediate } from "node:timers/promises";
import { singletonLeaseMs, singletonPauseCeilingMs, singletonPauseMs } from "../../lib/limits.ts";
import type { Lease, Platform } from "../../platform/contract.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledSingleton } from "../bundle.ts";
import { BackgroundContext } from "./context.ts";
import { reportFailure } from "./failure.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** A lease and its end, on the monotonic clock of this process. */
interface HeldTerm {
  readonly lease: Lease;
  /**
   * Counted from before the request for the lease or its renewal, so it comes before any other process can take the
   * lease.
   */
  readonly until: number;
}

/** Keeps the body of each singleton running, in one process of all. */
export class Singletons {
  readonly #app: BackgroundPorts;
  readonly #platform: Platform;
  readonly #over: AbortController = new AbortController();
  readonly #bodies: readonly Promise<void>[];

  constructor(app: BackgroundPorts & Wiring, platform: Platform) {
    this.#app = app;
    this.#platform = platform;
    this.#bodies = (app.bundle.singletons ?? []).map((singleton) => this.#keepUp(singleton));
  }

  /** Aborts the bodies and resolves when they have ended and others may begin. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#bodies);
  }

  async #keepUp(singleton: BundledSingleton): Promise<void> {
    const { clock } = this.#platform;
    for (let failures = 0; ;) {
      const term = await this.#acquire(singleton);
      if (term === undefined) return;
      const started = clock.elapsed();
      await this.#runOnce(singleton, term);
      // A body that ran well for a while begins anew without the pauses of its past.
      failures = clock.elapsed() - started > singletonPauseCeilingMs ? 1 : failures + 1;
      const pause = Math.min(singletonPauseCeilingMs, singletonPauseMs * 2 ** (failures - 1));
      if (!(await sleepUntilAborted(clock, pause, this.#over.signal))) return;
    }
  }

  /** Waits for the lease; undefined when everything stops first. */
  async #acquire({ name }: BundledSingleton): Promise<HeldTerm | undefined> {
    const { clock, leases } = this.#platform;
    const { signal } = this.#over;
    while (!signal.aborted) {
      const until = clock.elapsed() + singletonLeaseMs;
      const lease = await leases.acquire(`singleton:${name}`, singletonLeaseMs).catch(() => undefined);
      if (lease !== undefined && clock.elapsed() < until) return { lease, until };
      // An answer that took as long as the lease.
      await lease?.release().catch(() => {});
      await sleepUntilAborted(clock, singletonLeaseMs / 3, signal);
    }
    return undefined;
  }

  async #runOnce(singleton: BundledSingleton, term: HeldTerm): Promise<void> {
    const { name, service, declaration } = singleton;
    const lost = new AbortController();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, lost.signal]);
    const occasion = { tags: { singleton: name }, id: `singleton-${name}`, signal, fence: term.lease, service };
    const ctx = new BackgroundContext(this.#app, occasion);
    const held = this.#hold(term, lost, ended.signal);
    try {
      // In a turn of its own: a body that never waits must not keep the application from starting.
      await setImmediate();
      await declaration.body(ctx);
      if (!signal.aborted) ctx.log.warn("the singleton ended; it is started again");
    } catch (error) {
      const sentence = "the singleton failed; it is started again";
      if (!signal.aborted) reportFailure(ctx, { sentence, route: `singleton ${name}` }, error);
    } finally {
      ended.abort();
      await held;
    }
  }

  /** Renews the lease while the body runs. A lease that is lost, or not renewed by its end, aborts the body. */
  async #hold(term: HeldTerm, lost: AbortController, ended: AbortSignal): Promise<void> {
    const { clock } = this.#platform;
    let { lease, until } = term;
    try {
      for (;;) {
        await clock.sleep(Math.min(singletonLeaseMs / 3, until - clock.elapsed()), ended);
        const renewedUntil = clock.elapsed() + singletonLeaseMs;
        lease = await this.#before(until, lease.renew(singletonLeaseMs));
        until = renewedUntil;
      }
    } catch {
      if (!ended.aborted) lost.abort(new Error("the lease of the singleton was lost"));
    }
    await lease.release().catch(() => {});
  }

  /** Resolves with the result of the work; rejects if that comes at or after an instant of the monotonic clock. */
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
