import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunnerDeclaration } from "../../declare/runner.ts";
import type { SubscribeDeclaration } from "../../declare/subscribe.ts";
import type { WorkerDeclaration } from "../../declare/worker.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import type { Destination } from "../../platform/messages.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import type { Application } from "../application.ts";
import { Background } from "../background/background.ts";
import { BackgroundContext } from "../background/context.ts";
import type { Bundle, BundledDestination, BundledCron, BundledConsumer } from "../bundle.ts";
import { definitionsOf } from "../definitions.ts";
import { createService } from "../handler.ts";
import type { LogRecord } from "../observe/log.ts";
import { MetricStore } from "../observe/metrics/store.ts";
import { bundleOf } from "./app.ts";
import { settings, type Settings } from "../settings.ts";
import { redefine } from "../../platform/testing/redefine.ts";

/** A queue, topic or job for any message. */
type Carrying = Pick<BundledDestination["declaration"], "kind" | "name">;

/** Creates a destination for messages of any JSON value. */
export function destination(declaration: Carrying, more: Partial<BundledDestination> = {}): BundledDestination {
  const { kind, name } = declaration;
  return {
    kind,
    declaration: declaration as BundledDestination["declaration"],
    name,
    tasks: 1,
    exactIntegers: false,
    decode: (value) => value,
    ...more,
  };
}

const delivery = { maxAttempts: 5, minBackoff: 1_000, maxBackoff: 60_000, deadline: 600_000 };

export function worker<T>(
  declaration: WorkerDeclaration<T>,
  more: Partial<BundledConsumer["delivery"]> = {},
): BundledConsumer {
  return consumer("worker", declaration as never, { kind: "queue", name: declaration.queue.name }, more);
}

export function subscriber<T>(variable: string, declaration: SubscribeDeclaration<T>): BundledConsumer {
  const { source } = declaration.source;
  const colon = source.indexOf(":");
  const from = { kind: source.slice(0, colon), name: source.slice(colon + 1) } as Destination;
  return { ...consumer("subscribe", declaration as never, from, {}), variable, service: `web-${variable}` };
}

export function runner<T>(
  declaration: RunnerDeclaration<T>,
  more: Partial<BundledConsumer["delivery"]> = {},
): BundledConsumer {
  return consumer("runner", declaration as never, { kind: "job", name: declaration.job.name }, more);
}

function consumer(
  kind: BundledConsumer["kind"],
  declaration: BundledConsumer["declaration"],
  source: Destination,
  more: Partial<BundledConsumer["delivery"]>,
): BundledConsumer {
  const variable = `${kind}Of${source.name.replaceAll(/\W/g, "")}`;
  return {
    kind,
    declaration,
    variable,
    package: 0,
    service: `web-${variable}`,
    source,
    delivery: { ...delivery, ...more },
  };
}

export function cron(declaration: BundledCron["declaration"], more: Partial<BundledCron> = {}): BundledCron {
  const { name, schedule } = declaration;
  return { declaration, name, package: 0, schedule, timezone: "UTC", deadline: 180_000, ...more };
}

export type Parts = Pick<Bundle, "destinations" | "consumers" | "crons" | "singletons" | "recordsRuns">;

export interface Working {
  readonly platform: LocalPlatform;
  readonly clock: SteppedClock;
  readonly background: Background;
  readonly logs: LogRecord[];
  readonly metrics: MetricStore;
  readonly app: Application;
  /** A context for sending. */
  readonly ctx: BackgroundContext;
  /** Replaces the running code. */
  readonly use: (parts: Parts) => Promise<void>;
}

/** Starts an application with background work, on its own store and clock. */
export async function working(parts: Parts, place: Settings = settings.test): Promise<Working> {
  const directory = await mkdtemp(join(tmpdir(), "fw-background-"));
  const clock = new SteppedClock();
  const platform = await openLocal(directory, definitionsOf(parts), { clock, temporary: true });
  const background = new Background();
  const logs: LogRecord[] = [];
  const metrics = new MetricStore();
  const serviceOf = (more: Parts): Application =>
    createService(
      { ...bundleOf([]), ...more },
      { settings: place, platform, metrics, log: (record) => logs.push(record) },
    ).app;
  const app = serviceOf(parts);
  background.use(app);
  onTestFinished(async () => {
    await background.stop();
    await platform.close();
    await rm(directory, { recursive: true, force: true });
  });
  const ctx = new BackgroundContext(app, { tags: {}, id: "test", signal: new AbortController().signal });
  const use = async (more: Parts): Promise<void> => {
    await redefine(platform, definitionsOf(more));
    background.use(serviceOf(more));
  };
  return { platform, clock, background, logs, metrics, app, ctx, use };
}
