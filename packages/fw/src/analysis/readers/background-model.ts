import { parseCron } from "../../lib/cron.ts";
import { parseDuration } from "../../lib/duration.ts";
import {
  cronDeadlineMs,
  deliveries,
  deliveryDeadlineMs,
  maxBackoffMs,
  minBackoffMs,
  runnerRetries,
  runnerTimeoutMs,
} from "../../lib/limits.ts";
import type { Package } from "../../model/app.ts";
import type { Bucket, Destination, Cron, Delivery, Consumer, Singleton, Source } from "../../model/background.ts";
import type {
  AnyConsumerRead,
  BucketRead,
  DestinationRead,
  CronRead,
  DeliverySettingsRead,
  RunnerRead,
  SingletonRead,
  SourceRead,
} from "./background.ts";
import type { Read } from "./read.ts";
import type { Reading } from "./reading.ts";

/** What a package does in the background; each part absent where there is none. */
export function backgroundModel(name: string, reads: readonly Read[]): Partial<Package> {
  const parts: Background = { buckets: [], destinations: [], consumers: [], crons: [], singletons: [] };
  for (const read of reads) add(parts, name, read);
  return Object.fromEntries(Object.entries(parts).filter(([, all]) => all.length > 0));
}

interface Background {
  readonly buckets: Bucket[];
  readonly destinations: Destination[];
  readonly consumers: Consumer[];
  readonly crons: Cron[];
  readonly singletons: Singleton[];
}

function add(parts: Background, name: string, read: Read): void {
  switch (read.kind) {
    case "bucket":
      return void parts.buckets.push(...bucketModel(read));
    case "queue":
    case "topic":
    case "job":
      return void parts.destinations.push(...destinationModel(read));
    case "worker":
    case "subscribe":
    case "runner":
      return void parts.consumers.push(...consumerModel(name, read));
    case "cron":
      return void parts.crons.push(...cronModel(read));
    case "singleton":
      return void parts.singletons.push(...singletonModel(name, read));
  }
}

function bucketModel({ declaration, text }: BucketRead): readonly Bucket[] {
  return text.value === undefined ? [] : [{ declaration, name: text.value }];
}

function destinationModel({ kind, declaration, text, types }: DestinationRead): readonly Destination[] {
  if (text.value === undefined || !types) return [];
  return [{ kind, declaration, name: text.value, message: types.message }];
}

function consumerModel(part: string, read: AnyConsumerRead): readonly Consumer[] {
  const { kind, declaration } = read;
  const source = sourceModel(read.source);
  if (!source) return [];
  const consumer = { kind, declaration, service: `${part}-${declaration.variable}`, source };
  if (read.kind !== "runner") return [{ ...consumer, delivery: deliveryModel(read.config.settings) }];
  return [{ ...consumer, delivery: runnerDelivery(read), tasks: read.config.settings.tasks?.value ?? 1 }];
}

function sourceModel(source: SourceRead): Source | undefined {
  if (source.kind === "wrong") return undefined;
  if (source.kind !== "event") return source.name === undefined ? undefined : { kind: source.kind, name: source.name };
  if (source.event.startsWith("auth.")) return { kind: "event", name: source.event };
  return source.name === undefined ? undefined : { kind: "event", name: `${source.event}:${source.name}` };
}

function deliveryModel({ maxAttempts, minBackoff, maxBackoff, rateLimit }: DeliverySettingsRead): Delivery {
  const rate = numberIn(rateLimit);
  return {
    maxAttempts: numberIn(maxAttempts) ?? deliveries,
    minBackoff: millisecondsIn(minBackoff) ?? minBackoffMs,
    maxBackoff: millisecondsIn(maxBackoff) ?? maxBackoffMs,
    ...(rate === undefined ? {} : { rateLimit: rate }),
    deadline: deliveryDeadlineMs,
  };
}

/** A task that failed is tried again after the pauses that messages have. */
function runnerDelivery({ config: { settings } }: RunnerRead): Delivery {
  return {
    maxAttempts: (numberIn(settings.attempts) ?? runnerRetries) + 1,
    minBackoff: minBackoffMs,
    maxBackoff: maxBackoffMs,
    deadline: millisecondsIn(settings.timeout) ?? runnerTimeoutMs,
  };
}

function cronModel({ declaration, text, schedule, config }: CronRead): readonly Cron[] {
  const parsed = schedule.value === undefined ? undefined : parseCron(schedule.value);
  if (text.value === undefined || parsed === undefined || "message" in parsed) return [];
  const { timezone, deadline } = config.settings;
  return [
    {
      declaration,
      name: text.value,
      schedule: parsed.text,
      timezone: typeof timezone?.value === "string" ? timezone.value : "UTC",
      deadline: millisecondsIn(deadline) ?? cronDeadlineMs,
    },
  ];
}

function singletonModel(part: string, { declaration, text }: SingletonRead): readonly Singleton[] {
  if (text.value === undefined) return [];
  return [{ declaration, name: text.value, service: `${part}-${declaration.variable}` }];
}

function numberIn(reading: Reading<unknown> | undefined): number | undefined {
  return typeof reading?.value === "number" ? reading.value : undefined;
}

function millisecondsIn(reading: Reading<unknown> | undefined): number | undefined {
  return typeof reading?.value === "string" ? parseDuration(reading.value) : undefined;
}
