import { setImmediate } from "node:timers/promises";
import { singletonLeaseMs, singletonPauseCeilingMs, singletonPauseMs } from "../../lib/limits.ts";
import type { Lease, Platform } from "../../platform/contract.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledSingleton } from "../bundle.ts";
import { BackgroundContext } from "./context.ts";
import { reportFailure } from "./failure.ts";
import { sleepUntilAborted } from "./sleep.ts";

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
      const lease = await this.#acquire(singleton);
      if (lease === undefined) return;
      const started = clock.now();
      await this.#runOnce(singleton, lease);
      // A body that ran well for a while begins anew without the pauses of its past.
      failures = clock.now() - started > singletonPauseCeilingMs ? 1 : failures + 1;
      const pause = Math.min(singletonPauseCeilingMs, singletonPauseMs * 2 ** (failures - 1));
      if (!(await sleepUntilAborted(clock, pause, this.#over.signal))) return;
    }
  }

  /** Waits for the lease; undefined when everything stops first. */
  async #acquire({ name }: BundledSingleton): Promise<Lease | undefined> {
    const { clock, leases } = this.#platform;
    const { signal } = this.#over;
    while (!signal.aborted) {
      const lease = await leases.acquire(`singleton:${name}`, singletonLeaseMs).catch(() => undefined);
      if (lease !== undefined) return lease;
      await sleepUntilAborted(clock, singletonLeaseMs / 3, signal);
    }
    return undefined;
  }

  async #runOnce(singleton: BundledSingleton, lease: Lease): Promise<void> {
    const { name, service, declaration } = singleton;
    const lost = new AbortController();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, lost.signal]);
    const occasion = { tags: { singleton: name }, id: `singleton-${name}`, signal, fence: lease, service };
    const ctx = new BackgroundContext(this.#app, occasion);
    const held = this.#hold(lease, lost, ended.signal);
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

  /** Renews the lease while the body runs; a lease that is lost aborts the body. */
  async #hold(lease: Lease, lost: AbortController, ended: AbortSignal): Promise<void> {
    let current = lease;
    try {
      for (;;) {
        await this.#platform.clock.sleep(singletonLeaseMs / 3, ended);
        current = await current.renew(singletonLeaseMs);
      }
    } catch {
      if (!ended.aborted) lost.abort(new Error("the lease of the singleton was lost"));
    }
    await current.release().catch(() => {});
  }
}
