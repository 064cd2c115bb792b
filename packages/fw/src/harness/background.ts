import { setImmediate } from "node:timers/promises";
import { nextTick, parseCron } from "../lib/cron.ts";
import type { Clock } from "../platform/contract.ts";
import type { Delivering, Delivery } from "../platform/messages.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Application } from "../runtime/application.ts";
import { receive } from "../runtime/background/receive.ts";
import { runCron } from "../runtime/background/cron.ts";
import type { BundledCron } from "../runtime/bundle.ts";
import type { Passing } from "./controlled-clock.ts";

/** Turns of the event loop in which a message that was sent gets to its receiver. */
const turns = 4;

/**
 * The work of a test's application that no request asks for. Crons run and messages are delivered while the test lets time
 * pass or drains, and at no other moment; singletons do not run.
 */
export class TestBackground implements Passing {
  readonly #app: Application;
  readonly #platform: LocalPlatform;
  readonly #signal: AbortSignal;
  readonly #underWay: Set<Promise<void>> = new Set();
  #delivering: Delivering | undefined;

  constructor(app: Application, platform: LocalPlatform, signal: AbortSignal) {
    this.#app = app;
    this.#platform = platform;
    this.#signal = signal;
    for (const cron of app.bundle.crons ?? []) void this.#follow(cron, platform.clock);
  }

  begin(): void {
    this.#delivering = this.#platform.dispatcher?.deliver((delivery) => this.#receive(delivery));
  }

  async settle(): Promise<void> {
    for (let quiet = 0; quiet < turns; quiet++) {
      await setImmediate();
      if (this.#underWay.size === 0) continue;
      quiet = 0;
      await Promise.allSettled(this.#underWay);
    }
  }

  async end(): Promise<void> {
    await this.#delivering?.stop();
  }

  /** Delivers everything that was sent, and what is sent meanwhile, without waiting for its time. */
  async drain(): Promise<void> {
    this.begin();
    try {
      await this.#platform.dispatcher?.idle({ all: true });
    } finally {
      await this.end();
    }
  }

  #receive(delivery: Delivery): Promise<void> {
    return this.#tracked(receive(this.#app, delivery));
  }

  async #follow(cron: BundledCron, clock: Clock): Promise<void> {
    const schedule = parseCron(cron.schedule);
    // Analysis has refused what is no schedule.
    if ("message" in schedule) return;
    for (;;) {
      const tick = nextTick(schedule, cron.timezone, new Date(clock.now()));
      if (tick === undefined) return;
      await clock.sleep(tick.getTime() - clock.now(), this.#signal).catch(() => {});
      if (this.#signal.aborted) return;
      // Its failure is in the log.
      await this.#tracked(runCron(this.#app, this.#platform, cron, this.#signal)).catch(() => {});
    }
  }

  #tracked(work: Promise<void>): Promise<void> {
    this.#underWay.add(work);
    const over = (): void => void this.#underWay.delete(work);
    work.then(over, over);
    return work;
  }
}
