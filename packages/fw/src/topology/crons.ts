import type { App } from "../model/app.ts";
import { allOfKind, ofKind } from "../model/declarations.ts";
import type { Platform } from "../platform/contract.ts";
import { CronSchedule } from "../runtime/background/cron.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { PlatformCaller, ServiceAnswer } from "./deliveries.ts";

export class Crons {
  readonly #app: App;
  readonly #caller: PlatformCaller;

  constructor(app: App, caller: PlatformCaller) {
    this.#app = app;
    this.#caller = caller;
  }

  /** Triggers each cron when it is due. `write` receives log lines. */
  follow(platform: Platform, write: (line: string) => void): CronSchedule {
    const crons = allOfKind(this.#app.packages, "cron");
    const log = lineSink(readableLine, write);
    return new CronSchedule(crons, {
      platform,
      logger: (cron) => new TaggedLogger(log, { cron }),
      run: async (name) => {
        const { status } = await this.trigger(name);
        if (status >= 300) throw new Error(`the cron ${name} failed with status ${status}`);
      },
    });
  }

  /** Runs a cron now, in its service. */
  async trigger(name: string): Promise<ServiceAnswer> {
    const owner = this.#app.packages.find((pkg) => ofKind(pkg, "cron").some((cron) => cron.name === name));
    if (owner === undefined) throw new Error(`no service has a cron ${name}`);
    return this.#caller.post(owner.service, `api/cron/${encodeURIComponent(name)}`, "");
  }
}
