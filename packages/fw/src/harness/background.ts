import { nextTick, parseCron } from "../lib/cron.ts";
import type { Clock } from "../platform/contract.ts";
import type { Delivery } from "../platform/messages.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Application } from "../runtime/application.ts";
import { receive } from "../runtime/background/receive.ts";
import { runCron } from "../runtime/background/cron.ts";
import type { BundledCron } from "../runtime/bundle.ts";
import type { ControlledClock, Passing } from "./controlled-clock.ts";
import type { UnderWay } from "./under-way.ts";

/** What the background of a test's application works with. */
export interface BackgroundParts {
  readonly app: Application;
  readonly platform: LocalPlatform;
  readonly clock: ControlledClock;
  readonly underWay: UnderWay;
  /** Aborts when the application ends. */
  readonly signal: AbortSignal;
}

/**
 * The work of a test's application that no request asks for. Crons run and messages are delivered while the test lets time
 * pass or drains, and at no other moment; singletons do not run.
 */
export class TestBackground implements Passing {
  readonly #parts: BackgroundParts;
  /** Deliveries that came while no time passed. */
  readonly #held: Set<() => void> = new Set();
  /** Who lets time pass. */
  #passing = 0;

  constructor(parts: BackgroundParts) {
    const { app, platform } = parts;
    this.#parts = parts;
    platform.dispatcher.deliver((delivery) => this.#receive(delivery));
    for (const cron of app.bundle.crons ?? []) void this.#follow(cron, platform.clock);
  }

  begin(): void {
    this.#passing++;
    for (const go of this.#held) go();
    this.#held.clear();
  }

  settle(): Promise<void> {
    return this.#parts.underWay.settle();
  }

  end(): void {
    this.#passing--;
  }

  /**
   * Delivers everything that was sent, and what is sent meanwhile, without waiting for its time. For a handler that does not end time
   * passes up to its deadline.
   */
  async drain(): Promise<void> {
    this.begin();
    try {
      const drained = { yet: false };
      const idle = this.#parts.platform.dispatcher.idle({ all: true }).finally(() => (drained.yet = true));
      // That the application was closed meanwhile is told below.
      idle.catch(() => {});
      for (await this.settle(); !drained.yet; await this.settle()) this.#parts.clock.skip();
      await idle;
    } finally {
      this.end();
    }
  }

  async #receive(delivery: Delivery): Promise<void> {
    if (this.#passing === 0) await new Promise<void>((resolve) => this.#held.add(resolve));
    const { app, underWay } = this.#parts;
    await underWay.follow(receive(app, delivery), delivery.consumer);
  }

  async #follow(cron: BundledCron, clock: Clock): Promise<void> {
    const { app, underWay, signal } = this.#parts;
    const schedule = parseCron(cron.schedule);
    // Analysis has refused what is no schedule.
    if ("message" in schedule) return;
    for (;;) {
      const tick = nextTick(schedule, cron.timezone, new Date(clock.now()));
      if (tick === undefined) return;
      await clock.sleep(tick.getTime() - clock.now(), signal).catch(() => {});
      if (signal.aborted) return;
      // Its failure is in the log.
      await underWay.follow(runCron(app, cron, signal), cron.name).catch(() => {});
    }
  }
}
