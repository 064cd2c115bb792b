import { setImmediate, setTimeout } from "node:timers/promises";
import { nextTick, parseCron } from "../lib/cron.ts";
import type { Clock } from "../platform/contract.ts";
import type { Delivering, Delivery } from "../platform/messages.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Application } from "../runtime/application.ts";
import { receive } from "../runtime/background/receive.ts";
import { runCron } from "../runtime/background/cron.ts";
import type { BundledCron } from "../runtime/bundle.ts";
import type { ControlledClock, Passing } from "./controlled-clock.ts";

/** Turns of the event loop in which a message that was sent gets to its receiver. */
const turns = 4;

/** Real milliseconds after which work is taken to wait for time to pass, as a handler that never ends does. */
const patienceMs = 1_000;
/** The same once some work has been. */
const shortPatienceMs = 100;

/**
 * The work of a test's application that no request asks for. Crons run and messages are delivered while the test lets time
 * pass or drains, and at no other moment; singletons do not run.
 */
export class TestBackground implements Passing {
  readonly #app: Application;
  readonly #platform: LocalPlatform;
  readonly #signal: AbortSignal;
  readonly #clock: ControlledClock;
  readonly #underWay: Set<Promise<void>> = new Set();
  /** What is under way and waits for time to pass. */
  readonly #waiting: Set<Promise<void>> = new Set();
  #patienceMs: number = patienceMs;
  /** Works that have ended. */
  #ended = 0;
  #delivering: Delivering | undefined;

  constructor(app: Application, platform: LocalPlatform, clock: ControlledClock, signal: AbortSignal) {
    this.#app = app;
    this.#platform = platform;
    this.#clock = clock;
    this.#signal = signal;
    for (const cron of app.bundle.crons ?? []) void this.#follow(cron, platform.clock);
  }

  begin(): void {
    this.#delivering = this.#platform.dispatcher?.deliver((delivery) => this.#receive(delivery));
  }

  async settle(): Promise<void> {
    for (let quiet = 0; quiet < turns; quiet++) {
      await setImmediate();
      const busy = [...this.#underWay].filter((work) => !this.#waiting.has(work));
      if (busy.length === 0) continue;
      quiet = 0;
      if (!(await this.#ends(Promise.allSettled(busy)))) this.#letWait(busy);
    }
  }

  async end(): Promise<void> {
    await this.#delivering?.stop();
  }

  /**
   * Delivers everything that was sent, and what is sent meanwhile, without waiting for its time. For a handler that does not end time
   * passes up to its deadline.
   */
  async drain(): Promise<void> {
    this.begin();
    try {
      const idle = this.#platform.dispatcher?.idle({ all: true });
      while (!(await this.#ends(idle))) {
        this.#letWait([...this.#underWay]);
        this.#clock.skip();
      }
    } finally {
      await this.end();
    }
  }

  /** Whether the work ends before patience does. Patience begins anew whenever something else ends. */
  async #ends(work: Promise<unknown> | undefined): Promise<boolean> {
    for (;;) {
      const before = this.#ended;
      const over = new AbortController();
      const late = setTimeout(this.#patienceMs, false, { signal: over.signal }).catch(() => false);
      const ended = await Promise.race([Promise.resolve(work).then(() => true), late]);
      over.abort();
      if (ended || this.#ended === before) return ended;
    }
  }

  #letWait(works: readonly Promise<void>[]): void {
    for (const work of works) if (this.#underWay.has(work)) this.#waiting.add(work);
    this.#patienceMs = shortPatienceMs;
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
    const over = (): void => {
      this.#underWay.delete(work);
      this.#waiting.delete(work);
      this.#ended++;
    };
    work.then(over, over);
    return work;
  }
}
