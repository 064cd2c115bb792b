import type { App } from "../model/app.ts";
import type { Platform } from "../platform/contract.ts";
import { CronSchedule } from "../runtime/background/cron.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { PlatformCaller } from "./deliveries.ts";
import type { ServiceProcess } from "./process.ts";

export interface TriggerOptions {
  readonly app: App;
  readonly platform: Platform;
  readonly caller: PlatformCaller;
  readonly process: (service: string) => ServiceProcess | undefined;
  /** Takes a line of the log. */
  readonly write: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** Triggers the crons of all services when they are due. */
export function triggerCrons({ app, platform, caller, process, write, stopping }: TriggerOptions): CronSchedule {
  const crons = app.packages.flatMap(({ service, crons = [] }) => crons.map((cron) => ({ ...cron, service })));
  const log = lineSink(readableLine, write);
  return new CronSchedule(crons, {
    platform,
    logger: (cron) => new TaggedLogger(log, { cron }),
    run: async (name) => {
      const service = process(crons.find((cron) => cron.name === name)?.service ?? "");
      if (service !== undefined) await caller.trigger(service, name, stopping);
    },
  });
}
