import type { Logger } from "../../declare/context.ts";
import { StatusError } from "../../declare/errors.ts";
import { nextTick, parseCron } from "../../lib/cron.ts";
import { formatDuration } from "../../lib/duration.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Key, Platform, Version } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Application, MeasuredPorts } from "../application.ts";
import type { BundledCron } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { TaggedLogger } from "../observe/log.ts";
import { cronRoute, meter } from "../observe/metrics/request-metrics.ts";
import { BackgroundContext } from "./context.ts";
import { untilDeadline } from "./deadline.ts";
import { failedStatus, reportFailure } from "./failure.ts";
import { tickKind } from "./kinds.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** Milliseconds that a schedule sleeps at a time, so that it notices when the machine was asleep. */
const cronLookMs = 60_000;

/**
 * Milliseconds by which the clock may be set back while a schedule waits for the tick that it has chosen. If it is set
 * back by more, the schedule begins again from the time that the clock shows.
 */
const cronSetBackMs = 60_000;

/** Milliseconds for which a cron's tick is known to have run, one day. */
const tickKeptMs = 86_400_000;

/** When a cron runs. */
type CronTimes = Pick<BundledCron, "name" | "schedule" | "timezone">;

/** What a schedule needs of who keeps it. */
export interface ScheduleParts {
  readonly platform: Pick<Platform, "clock" | "entities">;
  /** Takes what a schedule has to say of a cron. */
  readonly logger: (cron: string) => Logger;
  /** Runs a cron. That it failed was told where it failed. */
  readonly run: (cron: string) => Promise<void>;
}

/** Runs crons when they are due, in this process. */
export class CronSchedule {
  readonly #parts: ScheduleParts;
  readonly #over: AbortController = new AbortController();

  /** Ending the schedule leaves the runs under way. */
  constructor(crons: readonly CronTimes[], parts: ScheduleParts) {
    this.#parts = parts;
    for (const cron of crons) void this.#follow(cron);
  }

  end(): void {
    this.#over.abort();
  }

  async #follow(cron: CronTimes): Promise<void> {
    const schedule = parseCron(cron.schedule);
    // Analysis has refused what is no schedule.
    if ("message" in schedule) return;
    let running: Promise<void> | undefined;
    for (let after = this.#now(); ;) {
      const tick = nextTick(schedule, cron.timezone, new Date(after));
      if (tick === undefined) return;
      // A claim that is there before its tick is from a clock that was ahead: it says nothing of the tick to come.
      const stale = await this.#claimed(cron, tick);
      const wait = await this.#reach(tick.getTime(), after);
      if (wait === "ended") return;
      if (wait === "set back") {
        after = this.#now();
        continue;
      }
      // Ticks that passed while the machine slept are one.
      after = Math.max(tick.getTime(), this.#now());
      if (running !== undefined) this.#skip(cron, tick);
      else if (await this.#claim(cron, tick, stale)) {
        running = this.#parts.run(cron.name).catch(() => {});
        void running.then(() => (running = undefined));
      }
    }
  }

  #now(): number {
    return this.#parts.platform.clock.now();
  }

  /**
   * Waits in steps: a timer that is set for weeks does not notice that the machine slept, or that the clock was set.
   */
  async #reach(instant: number, after: number): Promise<"reached" | "set back" | "ended"> {
    const { clock } = this.#parts.platform;
    const { signal } = this.#over;
    let latest = after;
    for (let now = this.#now(); now < instant; now = this.#now()) {
      if (now < latest - cronSetBackMs) return "set back";
      latest = Math.max(latest, now);
      if (!(await sleepUntilAborted(clock, Math.min(instant - now, cronLookMs), signal))) return "ended";
    }
    return "reached";
  }

  /** The version of the claim of a tick, if the tick is claimed. */
  async #claimed({ name }: CronTimes, tick: Date): Promise<Version | undefined> {
    const claim = await this.#parts.platform.entities.get(claimKey(name, tick)).catch(() => undefined);
    return claim?.version;
  }

  /** One tick runs once, however often the application is reloaded or started in between. */
  async #claim({ name }: CronTimes, tick: Date, stale: Version | undefined): Promise<boolean> {
    try {
      return await claimTick(this.#parts.platform, name, tick, stale);
    } catch (error) {
      if (!isPlatformError(error, "closed"))
        this.#parts.logger(name).error("the tick could not be kept, so it was left out", { error });
      return false;
    }
  }

  #skip({ name }: CronTimes, tick: Date): void {
    this.#parts.logger(name).warn("left out: the run before has not ended", { tick: tick.toISOString() });
  }
}

/**
 * Claims a tick of a cron; false if another process has claimed it. A claim with the version `stale` does not count,
 * and of the processes that know it as stale one gets the tick.
 */
export async function claimTick(
  { entities }: Pick<Platform, "entities">,
  cron: string,
  tick: Date,
  stale?: Version,
): Promise<boolean> {
  const key = claimKey(cron, tick);
  const options = { expires: new Date(tick.getTime() + tickKeptMs) };
  try {
    if (stale === undefined) await entities.insert(key, {}, options);
    else await entities.update(key, {}, { ...options, version: stale });
    return true;
  } catch (error) {
    if (isPlatformError(error, "missing")) return claimTick({ entities }, cron, tick);
    if (isPlatformError(error, "exists") || isPlatformError(error, "conflict")) return false;
    throw error;
  }
}

function claimKey(cron: string, tick: Date): Key {
  return { kind: tickKind, id: `${cron}@${tick.toISOString()}` };
}

/** The schedule of an application's own crons. `stopping` aborts its runs. */
export function ownSchedule(app: CronPorts, platform: Platform, stopping: AbortSignal): CronSchedule {
  const crons = app.bundle.crons ?? [];
  return new CronSchedule(crons, {
    platform,
    logger: (cron) => new TaggedLogger(app.log, { cron }),
    run: async (name) => {
      const cron = crons.find((each) => each.name === name);
      if (cron !== undefined) await runCron(app, cron, stopping);
    },
  });
}

/** An application whose crons can be run. */
type CronPorts = MeasuredPorts & Pick<Application, "platform" | "stopping">;

/** The cron of a name. Throws a StatusError 404 where the application has none that it can run. */
export function cronNamed({ bundle, platform }: CronPorts, name: string): BundledCron {
  const cron = bundle.crons?.find((each) => each.name === name);
  if (cron === undefined || platform === undefined) throw new StatusError(404, messages.notFound);
  return cron;
}

/** Runs a cron now, by its name. */
export async function runNamedCron(app: CronPorts, name: string): Promise<void> {
  await runCron(app, cronNamed(app, name), app.stopping ?? new AbortController().signal);
}

/** Runs a cron now. Rejects, after it was logged, when its handler fails or passes its deadline. */
export async function runCron(app: CronPorts, cron: BundledCron, stopping: AbortSignal): Promise<void> {
  const { name, deadline, declaration } = cron;
  const route = cronRoute(name);
  const started = performance.now();
  const ended = meter(app.metrics, route);
  const contextWith = (signal: AbortSignal): BackgroundContext =>
    new BackgroundContext(app, {
      tags: { cron: name },
      id: `cron-${name}`,
      signal,
      deadline: started + deadline,
      service: app.bundle.packages[cron.package]?.service ?? "",
      step: { kind: "internal", name: route, attributes: {} },
    });
  let ctx: BackgroundContext | undefined;
  try {
    await untilDeadline(app.platform?.clock ?? systemClock, deadline, stopping, async (signal) => {
      ctx = contextWith(signal);
      await declaration.handler(ctx);
    });
    ended(204);
    ctx?.end(false);
  } catch (error) {
    ended(failedStatus(stopping));
    ctx?.end(!stopping.aborted);
    const failed = { sentence: "the cron failed", route, deadline: formatDuration(deadline) };
    reportFailure(ctx ?? contextWith(stopping), failed, error);
    throw error;
  }
}
