import { nextTick, parseCron } from "../lib/cron.ts";
import type { Clock } from "../platform/contract.ts";
import type { Delivery } from "../platform/messages.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Application } from "../runtime/application.ts";
import { receive } from "../runtime/background/receive.ts";
import { runCron } from "../runtime/background/cron.ts";
import type { BundledCron } from "../runtime/bundle.ts";
import type { ControlledClock, TimedWork } from "./controlled-clock.ts";
import type { Activity } from "./activity.ts";

/** The parts that the background work of a test needs. */
export interface BackgroundParts {
  readonly app: Application;
  readonly platform: LocalPlatform;
  readonly clock: ControlledClock;
  readonly activity: Activity;
  /** Aborts when the application ends. */
  readonly signal: AbortSignal;
}

/**
 * Runs the background work of a test's application. Runs crons and delivers messages only while the test advances the
 * clock or drains; never runs singletons.
 */
export class TestBackground implements TimedWork {
  readonly #parts: BackgroundParts;
  /** Deliveries that arrived while the clock stood still. */
  readonly #deferred: Set<() => void> = new Set();
  /** The number of calls that currently let time pass. */
  #passing = 0;

  constructor(parts: BackgroundParts) {
    const { app, platform } = parts;
    this.#parts = parts;
    platform.dispatcher.deliver((delivery) => this.#receive(delivery));
    for (const cron of app.bundle.crons ?? []) void this.#follow(cron, platform.clock);
  }

  begin(): void {
    this.#passing++;
    for (const go of this.#deferred) go();
    this.#deferred.clear();
  }

  settle(): Promise<void> {
    return this.#parts.activity.settle();
  }

  end(): void {
    this.#passing--;
  }

  /**
   * Delivers all messages, due or not, including messages that handlers send during the call. If a handler does not
   * end, the clock advances to its deadline.
   */
  async drain(): Promise<void> {
    this.begin();
    try {
      const progress = { isIdle: false };
      const idle = this.#parts.platform.dispatcher.idle({ all: true }).finally(() => (progress.isIdle = true));
      // Prevents an unhandled rejection if the application closes first; the code below awaits this promise.
      idle.catch(() => {});
      for (await this.settle(); !progress.isIdle; await this.settle()) this.#parts.clock.skip();
      await idle;
    } finally {
      this.end();
    }
  }

  async #receive(delivery: Delivery): Promise<void> {
    if (this.#passing === 0) await new Promise<void>((resolve) => this.#deferred.add(resolve));
    const { app, activity: underWay } = this.#parts;
    await underWay.track(receive(app, delivery), delivery.consumer);
  }

  async #follow(cron: BundledCron, clock: Clock): Promise<void> {
    const { app, activity: underWay, signal } = this.#parts;
    const schedule = parseCron(cron.schedule);
    // `fw check` reports an invalid schedule.
    if ("message" in schedule) return;
    for (;;) {
      const tick = nextTick(schedule, cron.timezone, new Date(clock.now()));
      if (tick === undefined) return;
      await clock.sleep(tick.getTime() - clock.now(), signal).catch(() => {});
      if (signal.aborted) return;
      // The log contains the failure.
      await underWay.track(runCron(app, cron, signal), cron.name).catch(() => {});
    }
  }
}
