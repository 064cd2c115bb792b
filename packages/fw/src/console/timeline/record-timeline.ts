import type { InspectedPlatform } from "../../platform/local/open.ts";
import type { MetricSnapshot } from "../../runtime/observe/metrics/snapshot.ts";
import type { StepTotal } from "../recording/step-totals.ts";
import type { ProcessLoad } from "./process-load.ts";
import { sampleMs, Timeline, type TimelineState } from "./timeline.ts";

/** The state of an application, read for each sample. */
export interface TimelineSource {
  readonly metrics: () => Promise<MetricSnapshot> | MetricSnapshot;
  /** Undefined if the application stores no data. */
  readonly platform: () => Promise<InspectedPlatform | undefined>;
  /** The load of each process since the last call. */
  readonly processes: () => Promise<Readonly<Record<string, ProcessLoad>>>;
  /** The failed deliveries of each consumer since the last call. Read after `processes`, which collects them. */
  readonly failures: () => Readonly<Record<string, number>>;
  /** The queries and calls since the last call. Read after `processes`, too. */
  readonly totals: () => readonly StepTotal[];
}

/** Samples an application that starts now. Skips a sample if the state cannot be read, for example during a restart. */
export function recordTimeline(source: TimelineSource): Timeline {
  const timeline = new Timeline(Date.now());
  const sample = (): void =>
    void readState(source)
      .then((state) => timeline.add(state))
      .then(() => timeline.steps.add(source.totals(), Date.now()))
      .catch(() => {});
  sample();
  setInterval(sample, sampleMs).unref();
  return timeline;
}

async function readState({ metrics, platform, processes, failures }: TimelineSource): Promise<TimelineState> {
  const messages = await messagesIn(await platform());
  const loads = await processes();
  return { metrics: await metrics(), processes: loads, failures: failures(), ...messages };
}

async function messagesIn(platform: InspectedPlatform | undefined): Promise<Pick<TimelineState, "queues" | "dead">> {
  if (platform === undefined) return { queues: [], dead: 0 };
  const { dispatcher, clock } = platform;
  const backlog = await dispatcher.backlog();
  const queues = backlog.map(({ destination, consumer, messages, inFlight, retried, oldest }) => ({
    name: consumer === "" ? destination : `${destination} → ${consumer}`,
    waiting: messages - inFlight,
    inFlight,
    retried,
    age: oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.getTime()),
  }));
  return { queues, dead: await dispatcher.deadCount() };
}
