import type { App } from "../model/app.ts";
import { allOfKind, ofKind } from "../model/declarations.ts";
import type { Platform } from "../platform/contract.ts";
import { CronSchedule } from "../runtime/background/cron.ts";
import { sleepUntilAborted } from "../runtime/background/sleep.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { ServiceDown, type PlatformCaller, type PostOptions, type ServiceAnswer } from "./deliveries.ts";

/** Milliseconds between attempts to trigger a cron whose service cannot be reached. */
const retryMs = 1_000;

/** Limit: attempts to trigger a cron whose service cannot be reached, one a second. */
const cronAttempts = 60;

interface FollowOptions {
  readonly platform: Pick<Platform, "clock" | "entities" | "leases">;
  /** Whether this machine runs a service; by default, it runs all of them. */
  readonly runs?: (service: string) => boolean;
  readonly write: (line: string) => void;
  /** Ends the attempts to reach a service and leaves due ticks to other machines. */
  readonly stopping: AbortSignal;
}

export class Crons {
  readonly #app: App;
  readonly #caller: Pick<PlatformCaller, "post">;

  constructor(app: App, caller: Pick<PlatformCaller, "post">) {
    this.#app = app;
    this.#caller = caller;
  }

  /** Triggers crons when they are due, in the services that `runs` selects. `write` receives log lines. */
  follow({ platform, runs = () => true, write, stopping }: FollowOptions): CronSchedule {
    const packages = this.#app.packages.filter(({ service }) => runs(service));
    const crons = allOfKind(packages, "cron");
    const log = lineSink(readableLine, write);
    const logger = (cron: string): TaggedLogger => new TaggedLogger(log, { cron });
    const sleep = (): Promise<boolean> => sleepUntilAborted(platform.clock, retryMs, stopping);
    return new CronSchedule(crons, { platform, logger, run: (name) => this.#run(name, logger(name), sleep), stopping });
  }

  /** Runs a cron in its service immediately. */
  trigger(name: string): Promise<ServiceAnswer> {
    return this.#post(name, {});
  }

  async #post(name: string, options: PostOptions): Promise<ServiceAnswer> {
    const owner = this.#app.packages.find((pkg) => ofKind(pkg, "cron").some((cron) => cron.name === name));
    if (owner === undefined) throw new Error(`no service has a cron ${name}`);
    return this.#caller.post(owner.service, `api/cron/${encodeURIComponent(name)}`, "", options);
  }

  /** Triggers a due cron, and tries again while its service cannot be reached. `sleep` returns false if fw stops. */
  async #run(name: string, logger: TaggedLogger, sleep: () => Promise<boolean>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const problem = await this.#attempt(name);
      if (problem === undefined) return;
      const { isRepeatable, ...fields } = problem;
      if (!isRepeatable || attempt === cronAttempts) return logger.error("the cron did not run", fields);
      if (attempt === 1) logger.warn("the service cannot be reached; trying again", fields);
      if (!(await sleep())) return logger.error("the cron did not run: fw is stopping", fields);
    }
  }

  /** Returns why a cron may not have run; undefined if it ran, or if the service logged its failure. */
  async #attempt(name: string): Promise<CronProblem | undefined> {
    try {
      const { status } = await this.#post(name, { waits: false });
      return status < 300 || status === 500 ? undefined : { status, isRepeatable: status === 503 };
    } catch (error) {
      const isRefused = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
      return { error, isRepeatable: isRefused || error instanceof ServiceDown };
    }
  }
}

interface CronProblem {
  readonly status?: number;
  readonly error?: unknown;
  /** True if the run has certainly not started. */
  readonly isRepeatable: boolean;
}
