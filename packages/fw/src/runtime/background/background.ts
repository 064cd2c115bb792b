import type { Platform } from "../../platform/contract.ts";
import type { Delivering } from "../../platform/messages.ts";
import type { Application } from "../application.ts";
import { ownSchedule, type CronSchedule } from "./cron.ts";
import { receive } from "./receive.ts";
import { Singletons } from "./singletons.ts";

/** The work of an application that no request asks for, where it is done in this process: deliveries, crons, singletons. */
export class Background {
  #app: Application | undefined;
  #delivering: Delivering | undefined;
  #crons: CronSchedule | undefined;
  #singletons: Singletons | undefined;
  #turn: Promise<void> = Promise.resolve();
  readonly #stopping: AbortController = new AbortController();

  /** From now on the work is this application's. What is under way ends with the one it began with, but for singletons. */
  use(app: Application): void {
    this.#app = app;
    const { platform } = app;
    this.#crons?.end();
    if (platform === undefined || this.#stopping.signal.aborted) return;
    this.#delivering ??= platform.dispatcher?.deliver((delivery) => this.#receive(delivery));
    if (app.settings.crons === "scheduled") this.#crons = ownSchedule(app, platform, this.#stopping.signal);
    this.#turn = this.#takeTurns(this.#turn, app, platform);
  }

  /** Aborts what is under way and gives back what is unfinished. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the application is stopping"));
    this.#crons?.end();
    await Promise.all([this.#delivering?.stop(), this.#turn.then(() => this.#singletons?.end())]);
  }

  /** The bodies of one application have ended before those of the next begin. */
  async #takeTurns(before: Promise<void>, app: Application, platform: Platform): Promise<void> {
    await before;
    await this.#singletons?.end();
    if (this.#app === app && !this.#stopping.signal.aborted) this.#singletons = new Singletons(app, platform);
  }

  async #receive(delivery: Parameters<typeof receive>[1]): Promise<void> {
    if (this.#app !== undefined) await receive(this.#app, delivery);
  }
}
