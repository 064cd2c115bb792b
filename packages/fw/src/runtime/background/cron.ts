import { randomUUID } from "node:crypto";
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
import { tickKind } from "../../platform/tick-kind.ts";
import { sleepUntilAborted } from "./sleep.ts";

/** The maximum sleep of a schedule in milliseconds, to notice when the machine was asleep. */
const cronLookMs = 60_000;

/**
 * The maximum milliseconds that the clock may go back while a schedule waits. If it goes back further, the schedule
 * restarts from the new time.
 */
const cronSetBackMs = 60_000;

/**
 * The maximum skew between machines' clocks, in milliseconds. A claim that is found at most this long before its tick
 * is from a machine whose clock is ahead. An earlier claim was written before the clock was set back.
 */
const cronSkewMs = 30_000;

/** Milliseconds until the lease of a cron's run expires without renewal. */
const cronLeaseMs = 15_000;

/** Milliseconds between attempts to claim a tick while the platform fails. */
const claimRetryMs = 1_000;

/** Limit: milliseconds that a cron's run may be late if the platform fails when it is due. */
const tickGraceMs = 60_000;

/** Milliseconds after a tick until its claim expires: one day. */
const tickKeptMs = 86_400_000;

type CronTimes = Pick<BundledCron, "name" | "schedule" | "timezone">;

export interface SchedulePorts {
  readonly platform: Pick<Platform, "clock" | "entities" | "leases">;
  readonly logger: (cron: string) => Logger;
  /** Runs a cron, and logs failures itself. */
  readonly run: (cron: string) => Promise<void>;
  /** Aborts when the process stops. Due ticks are then left to other machines. */
  readonly stopping: AbortSignal;
}

/**
 * Runs crons when they are due. One of the processes that share a platform claims each tick, and skips it if the cron
 * is still running anywhere.
 */
export class CronSchedule {
  readonly #parts: SchedulePorts;
  readonly #ended: AbortController = new AbortController();

  /** Starts the schedule. Ending it does not abort runs in progress or ticks that are due. */
  constructor(crons: readonly CronTimes[], parts: SchedulePorts) {
    this.#parts = parts;
    for (const cron of crons) void this.#follow(cron);
  }

  end(): void {
    this.#ended.abort();
  }

  async #follow(cron: CronTimes): Promise<void> {
    const schedule = parseCron(cron.schedule);
    // Ignore an invalid schedule, because fw check reports it.
    if ("message" in schedule) return;
    let running: Promise<void> | undefined;
    let isSetBack = false;
    for (let after = this.#now(); ;) {
      const tick = nextTick(schedule, cron.timezone, new Date(after));
      if (tick === undefined) return;
      const isOpen = isSetBack || tick.getTime() - this.#now() > cronSkewMs;
      // Ignore a claim made long before its tick. It was written before a clock was set back.
      const stale = isOpen ? await this.#findClaim(cron, tick) : undefined;
      const wait = await this.#reach(tick.getTime(), after);
      if (wait === "ended") return;
      isSetBack = wait === "set back";
      if (isSetBack) {
        after = this.#now();
        continue;
      }
      // After the machine has slept, run missed ticks only once in total.
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

  /**
   * Sleeps until `instant` in steps, because a timer set for weeks would not notice that the machine slept or the clock
   * was set.
   */
  async #reach(instant: number, after: number): Promise<"reached" | "set back" | "ended"> {
    const { platform, stopping } = this.#parts;
    let latest = after;
    for (let now = this.#now(); now < instant; now = this.#now()) {
      if (now < latest - cronSetBackMs) return "set back";
      latest = Math.max(latest, now);
      const milliseconds = Math.min(instant - now, cronLookMs);
      const isAwake = await sleepUntilAborted(platform.clock, milliseconds, this.#ended.signal);
      // Run a tick that was due before the schedule ended, because the next schedule starts after it.
      if (stopping.aborted || (!isAwake && this.#now() < instant)) return "ended";
    }
    return "reached";
  }

  /** Returns the version of a tick's claim; undefined if the tick is not claimed or the platform fails. */
  async #findClaim({ name }: CronTimes, tick: Date): Promise<Version | undefined> {
    const claim = await this.#parts.platform.entities.get(claimKey(name, tick)).catch(() => undefined);
    return claim?.version;
  }

  /**
   * Claims a tick, so it runs only once even if the application reloads or restarts. Resolves with true if this process
   * has the claim.
   */
  async #claim({ name }: CronTimes, tick: Date, stale: Version | undefined): Promise<boolean> {
    const { platform } = this.#parts;
    const by = randomUUID();
    const isClaimed = await this.#repeat(name, "the tick could not be claimed", async (isRepeated) => {
      if (await claimTick(platform, name, tick, { stale, by })) return true;
      // The previous attempt may have written the claim although it failed.
      return isRepeated && (await platform.entities.get(claimKey(name, tick)))?.fields["by"] === by;
    });
    return isClaimed === true;
  }

  /**
   * Repeats a platform operation while it fails. Returns undefined once the tick's time is up, the platform is closed
   * or the process stops.
   */
  async #repeat<T>(
    cron: string,
    problem: string,
    operation: (isRepeated: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    const { platform, logger, stopping } = this.#parts;
    const ends = platform.clock.elapsed() + tickGraceMs;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await operation(isRepeated);
      } catch (error) {
        if (isPlatformError(error, "closed")) return undefined;
        const isOver = platform.clock.elapsed() >= ends;
        if (isOver) logger(cron).error(`skipped: ${problem}`, { error });
        else if (!isRepeated) logger(cron).warn(`${problem}; trying again`, { error });
        if (isOver || !(await sleepUntilAborted(platform.clock, claimRetryMs, stopping))) return undefined;
      }
    }
  }

  /** Runs a cron under a lease, renewed until the run ends. Skips the tick if another process holds the lease. */
  async #runAlone(cron: CronTimes, tick: Date): Promise<void> {
    const { run } = this.#parts;
    const lease = await this.#acquire(cron.name);
    if (lease === "held") return this.#skip(cron, tick);
    if (lease === undefined) return;
    const runEnd = new AbortController();
    const renewal = this.#renew(lease, runEnd.signal);
    await run(cron.name).catch(() => {});
    runEnd.abort();
    await renewal;
    await lease.release().catch(() => {});
  }

  /**
   * Acquires the lease of a cron. Returns "held" if another process holds it, and undefined if acquiring keeps failing.
   */
  #acquire(cron: string): Promise<Lease | "held" | undefined> {
    const { leases } = this.#parts.platform;
    return this.#repeat(cron, "the lease of the cron failed", async (isRepeated) => {
      const lease = await leases.acquire(`cron:${cron}`, cronLeaseMs);
      // A failed attempt may have taken the lease. That lease expires while the tick may still run.
      if (lease === undefined && isRepeated) throw new Error("the lease is held");
      return lease ?? "held";
    });
  }

  async #renew(lease: Lease, runEnd: AbortSignal): Promise<void> {
    const { clock } = this.#parts.platform;
    // Retry after a failed renewal. The run continues in any case.
    while (await sleepUntilAborted(clock, cronLeaseMs / 3, runEnd)) await lease.renew(cronLeaseMs).catch(() => {});
  }

  #skip({ name }: CronTimes, tick: Date): void {
    this.#parts.logger(name).warn("skipped: the previous run has not ended", { tick: tick.toISOString() });
  }
}

export interface Claim {
  /** The version of a stale claim to replace. Only one process that has read this version gets the tick. */
  readonly stale?: Version | undefined;
  /** Identifies the claim of one process. */
  readonly by?: string;
}

/** Claims a tick of a cron. Returns false if another process has claimed it. */
export async function claimTick(
  { entities }: Pick<Platform, "entities">,
  cron: string,
  tick: Date,
  { stale, by = "" }: Claim = {},
): Promise<boolean> {
  const key = claimKey(cron, tick);
  const options = { expires: new Date(tick.getTime() + tickKeptMs) };
  try {
    if (stale === undefined) await entities.insert(key, { by }, options);
    else await entities.update(key, { by }, { ...options, version: stale });
    return true;
  } catch (error) {
    if (isPlatformError(error, "missing")) return claimTick({ entities }, cron, tick, { by });
    if (isPlatformError(error, "exists") || isPlatformError(error, "conflict")) return false;
    throw error;
  }
}

function claimKey(cron: string, tick: Date): Key {
  return { kind: tickKind, id: `${cron}@${tick.toISOString()}` };
}

/** Starts the schedule of the application's crons. `stopping` aborts their runs. */
export function scheduleCrons(app: CronPorts, platform: Platform, stopping: AbortSignal): CronSchedule {
  return new CronSchedule(app.bundle.crons ?? [], {
    platform,
    logger: (cron) => new TaggedLogger(app.log, { cron }),
    run: (name) => runCron(app, requireCron(app, name), stopping),
    stopping,
  });
}

type CronPorts = MeasuredPorts & Pick<Application, "platform" | "stopping">;

/** Returns the cron with this name. Throws a 404 if this process can run no such cron. */
export function requireCron({ bundle, platform }: CronPorts, name: string): BundledCron {
  const cron = bundle.crons?.find((each) => each.name === name);
  if (cron === undefined || platform === undefined) throw new StatusError(404, messages.notFound);
  return cron;
}

export async function runNamedCron(app: CronPorts, name: string): Promise<void> {
  await runCron(app, requireCron(app, name), app.stopping ?? new AbortController().signal);
}

/** Runs a cron immediately. Logs a failure or a missed deadline and then rejects. */
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
