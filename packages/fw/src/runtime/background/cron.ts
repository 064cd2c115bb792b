import type { Logger } from "../../declare/context.ts";
import { StatusError } from "../../declare/errors.ts";
import { nextTick, parseCron } from "../../lib/cron.ts";
import { formatDuration } from "../../lib/duration.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Key, Lease, Platform, Version } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Application, MeasuredPorts } from "../application.ts";
import type { BundledCron } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { TaggedLogger } from "../observe/log.ts";
import { cronRoute, startMeter } from "../observe/metrics/meter.ts";
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

/** Milliseconds that the lease of a cron's run lasts without being renewed. */
const cronLeaseMs = 15_000;

/** Milliseconds for which a cron's tick is known to have run, one day. */
const tickKeptMs = 86_400_000;

type CronTimes = Pick<BundledCron, "name" | "schedule" | "timezone">;

/** Dependencies of a schedule. */
export interface SchedulePorts {
  readonly platform: Pick<Platform, "clock" | "entities" | "leases">;
  /** Returns the logger of a cron. */
  readonly logger: (cron: string) => Logger;
  /** Runs a cron. A failure was logged where it happened. */
  readonly run: (cron: string) => Promise<void>;
}

/**
 * Runs crons when they are due. One of the processes that share a platform gets each tick, and skips it while a run of
 * the cron is in progress in any of them.
 */
export class CronSchedule {
  readonly #parts: SchedulePorts;
  readonly #ended: AbortController = new AbortController();

  /** Ending the schedule does not abort runs in progress. */
  constructor(crons: readonly CronTimes[], parts: SchedulePorts) {
    this.#parts = parts;
    for (const cron of crons) void this.#follow(cron);
  }

  end(): void {
    this.#ended.abort();
  }

  async #follow(cron: CronTimes): Promise<void> {
    const schedule = parseCron(cron.schedule);
    // fw check refuses an invalid schedule.
    if ("message" in schedule) return;
    let running: Promise<void> | undefined;
    for (let after = this.#now(); ;) {
      const tick = nextTick(schedule, cron.timezone, new Date(after));
      if (tick === undefined) return;
      // A claim that exists before its tick was written by a clock that ran ahead, so it is ignored.
      const stale = await this.#findClaim(cron, tick);
      const wait = await this.#reach(tick.getTime(), after);
      if (wait === "ended") return;
      if (wait === "set back") {
        after = this.#now();
        continue;
      }
      // Ticks missed while the machine was asleep run once.
      after = Math.max(tick.getTime(), this.#now());
      if (running !== undefined) this.#skip(cron, tick);
      else if (await this.#claim(cron, tick, stale)) {
        running = this.#runAlone(cron, tick);
        void running.then(() => (running = undefined));
      }
    }
  }

  #now(): number {
    return this.#parts.platform.clock.now();
  }

  /** Sleeps in steps: a timer set for weeks would not notice that the machine slept or that the clock was set. */
  async #reach(instant: number, after: number): Promise<"reached" | "set back" | "ended"> {
    const { clock } = this.#parts.platform;
    const { signal } = this.#ended;
    let latest = after;
    for (let now = this.#now(); now < instant; now = this.#now()) {
      if (now < latest - cronSetBackMs) return "set back";
      latest = Math.max(latest, now);
      if (!(await sleepUntilAborted(clock, Math.min(instant - now, cronLookMs), signal))) return "ended";
    }
    return "reached";
  }

  /** Returns the version of the claim of a tick, if the tick is claimed. */
  async #findClaim({ name }: CronTimes, tick: Date): Promise<Version | undefined> {
    const claim = await this.#parts.platform.entities.get(claimKey(name, tick)).catch(() => undefined);
    return claim?.version;
  }

  /** Claims a tick, so that it runs once even if the application is reloaded or restarted. */
  async #claim({ name }: CronTimes, tick: Date, stale: Version | undefined): Promise<boolean> {
    try {
      return await claimTick(this.#parts.platform, name, tick, stale);
    } catch (error) {
      if (!isPlatformError(error, "closed"))
        this.#parts.logger(name).error("skipped: the tick could not be claimed", { error });
      return false;
    }
  }

  /** Runs a cron under a lease, which is renewed until the run ends; skips the tick if another process holds it. */
  async #runAlone(cron: CronTimes, tick: Date): Promise<void> {
    const { platform, run, logger } = this.#parts;
    const { name } = cron;
    let lease: Lease | undefined;
    try {
      lease = await platform.leases.acquire(`cron:${name}`, cronLeaseMs);
    } catch (error) {
      if (!isPlatformError(error, "closed")) logger(name).error("skipped: the lease of the cron failed", { error });
      return;
    }
    if (lease === undefined) return this.#skip(cron, tick);
    const runEnd = new AbortController();
    const renewal = this.#renew(lease, runEnd.signal);
    await run(name).catch(() => {});
    runEnd.abort();
    await renewal;
    await lease.release().catch(() => {});
  }

  async #renew(lease: Lease, runEnd: AbortSignal): Promise<void> {
    const { clock } = this.#parts.platform;
    // A renewal that fails is tried again: the run goes on either way.
    while (await sleepUntilAborted(clock, cronLeaseMs / 3, runEnd)) await lease.renew(cronLeaseMs).catch(() => {});
  }

  #skip({ name }: CronTimes, tick: Date): void {
    this.#parts.logger(name).warn("skipped: the previous run has not ended", { tick: tick.toISOString() });
  }
}

/**
 * Claims a tick of a cron; false if another process has claimed it. A claim with the version `stale` is ignored; of the
 * processes that read that version, one gets the tick.
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

/** Starts the schedule of an application's own crons. `stopping` aborts its runs. */
export function scheduleCrons(app: CronPorts, platform: Platform, stopping: AbortSignal): CronSchedule {
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

/** The parts of an application that run its crons. */
type CronPorts = MeasuredPorts & Pick<Application, "platform" | "stopping">;

/** Returns the cron with a name. Throws a StatusError 404 if the application has none that it can run. */
export function requireCron({ bundle, platform }: CronPorts, name: string): BundledCron {
  const cron = bundle.crons?.find((each) => each.name === name);
  if (cron === undefined || platform === undefined) throw new StatusError(404, messages.notFound);
  return cron;
}

/** Runs the cron with a name now. */
export async function runNamedCron(app: CronPorts, name: string): Promise<void> {
  await runCron(app, requireCron(app, name), app.stopping ?? new AbortController().signal);
}

/** Runs a cron now. Logs a failure of its handler or a passed deadline, then rejects. */
export async function runCron(app: CronPorts, cron: BundledCron, stopping: AbortSignal): Promise<void> {
  const { name, deadline, declaration } = cron;
  const route = cronRoute(name);
  const started = performance.now();
  const countRun = startMeter(app.metrics, route);
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
    countRun(204);
    ctx?.end(false);
  } catch (error) {
    countRun(failedStatus(stopping));
    ctx?.end(!stopping.aborted);
    const failed = { sentence: "the cron failed", route, deadline: formatDuration(deadline) };
    reportFailure(ctx ?? contextWith(stopping), failed, error);
    throw error;
  }
}
