import type { Platform } from "../../platform/contract.ts";
import type { Delivering } from "../../platform/messages.ts";
import type { Application } from "../application.ts";
import { scheduleCrons, type CronSchedule } from "./cron.ts";
import { usesCrons, usesRewrites } from "../capabilities.ts";
import { Rewriting } from "./rewriting.ts";
import { receive } from "./receive.ts";
import { Singletons } from "./singletons.ts";

/** Runs the background work of an application in this process: deliveries, crons, singletons and rewriting. */
export class Background {
  #app: Application | undefined;
  #delivery: Delivering | undefined;
  #crons: CronSchedule | undefined;
  #singletons: Singletons | undefined;
  #rewriting: Rewriting | undefined;
  #turn: Promise<void> = Promise.resolve();
  readonly #stopping: AbortController = new AbortController();

  /** Switches applications. Work in progress finishes on the previous one; singletons and rewriting restart. */
  use(app: Application): void {
    this.#app = app;
    const { platform } = app;
    this.#crons?.end();
    if (platform === undefined || this.#stopping.signal.aborted) return;
    this.#delivery ??= platform.dispatcher?.deliver((delivery) => this.#receive(delivery));
    if (usesCrons && app.settings.crons === "scheduled")
      this.#crons = scheduleCrons(app, platform, this.#stopping.signal);
    if (usesRewrites) {
      void this.#rewriting?.end();
      this.#rewriting = new Rewriting(app, platform);
    }
    this.#turn = this.#takeTurns(this.#turn, app, platform);
  }

  /** Aborts the work in progress and returns unfinished messages to their queues. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the application is stopping"));
    this.#crons?.end();
    await Promise.all([this.#delivery?.stop(), this.#rewriting?.end(), this.#turn.then(() => this.#singletons?.end())]);
  }

  /** Waits for the previous application's singletons to end, and then starts the singletons of the next one. */
  async #takeTurns(before: Promise<void>, app: Application, platform: Platform): Promise<void> {
    await before;
    await this.#singletons?.end();
    if (this.#app === app && !this.#stopping.signal.aborted) this.#singletons = new Singletons(app, platform);
  }

  async #receive(delivery: Parameters<typeof receive>[1]): Promise<void> {
    if (this.#app !== undefined) await receive(this.#app, delivery);
  }
}
