import type { Cloud } from "./cloud.ts";
import type { Fault } from "./faults.ts";

/** Faults to inject while a cloud runs. */
export interface FaultPlan {
  /**
   * The share of calls to Datastore, Pub/Sub and Cloud Tasks that fail in each way: 429, and a 503 or a broken
   * connection before or after the effect. From 0 to 1.
   */
  readonly probability?: number;
  /** The share of slow calls, and their delay in milliseconds. */
  readonly slow?: number;
  readonly slowMs?: number;
  /** The shares of messages that are duplicated and delayed. */
  readonly duplicates?: number;
  readonly reordering?: number;
  /** Clock skew in milliseconds: ahead, then behind, each for `everyMs`. */
  readonly skewMs?: number;
  /** Milliseconds after which all token keys rotate. */
  readonly rotateMs?: number;
  /** Milliseconds that the clock is ahead, then behind; a minute by default. */
  readonly everyMs?: number;
}

const accidents: readonly Fault[] = ["503", "503 after effect", "429", "reset before effect", "reset after effect"];

/** The APIs that services call constantly. */
const hit = /^(?:datastore|pubsub|cloudtasks)/;

/** Starts the plan, in real time. */
export function followPlan(cloud: Cloud, plan: FaultPlan): { end(): void } {
  const { probability = 0, slow = 0, slowMs = 2_000, duplicates = 0, reordering = 0 } = plan;
  if (probability > 0) for (const fault of accidents) cloud.faults.add({ fault, method: hit, probability });
  if (slow > 0) cloud.faults.add({ fault: "slow", method: hit, probability: slow, milliseconds: slowMs });
  cloud.faults.duplicates = duplicates;
  cloud.faults.reordering = reordering;
  const timers = [...skew(cloud, plan), ...rotate(cloud, plan)];
  return {
    end() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function skew({ clock }: Cloud, { skewMs = 0, everyMs = 60_000 }: FaultPlan): readonly NodeJS.Timeout[] {
  if (skewMs === 0) return [];
  let ahead = true;
  clock.shift(skewMs);
  const turn = (): void => {
    ahead = !ahead;
    clock.shift(ahead ? 2 * skewMs : -2 * skewMs);
  };
  return [setInterval(turn, everyMs).unref()];
}

function rotate({ tokens }: Cloud, { rotateMs = 0 }: FaultPlan): readonly NodeJS.Timeout[] {
  if (rotateMs === 0) return [];
  return [setInterval(() => void Promise.all([tokens.google.rotate(), tokens.securetoken.rotate()]), rotateMs).unref()];
}
