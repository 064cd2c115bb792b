import { maxBackoffMs, minBackoffMs } from "../../lib/limits.ts";
import type { Consumer, Delivery } from "../../model/background.ts";
import type { SettingReader, SettingsOf } from "./config.ts";
import { consumerModel, readConsumer, type ParsedConsumerOf } from "./consumer.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, constant } from "./setting-readers.ts";
import { isDurationBetween, millisecondsIn, numberIn } from "./source.ts";

/** Limit: the default number of retries of a task. */
const runnerRetries = 3;

/** Limit: the maximum number of tasks in one run of a job. */
const mostTasks = 10_000;

/** Limit: the default timeout of a task, in milliseconds. */
const runnerTimeoutMs = 600_000;

/** Limit: the shortest timeout of a runner, in milliseconds. */
const shortestRunnerTimeoutMs = 1_000;

/** Limit: the longest timeout of a runner, 7 days in milliseconds. */
const longestRunnerTimeoutMs = 604_800_000;

type Settings = ScalingSettings & {
  /** Any constant, because a rule checks the value. */
  readonly attempts: SettingReader<unknown>;
  readonly tasks: SettingReader<number>;
  readonly timeout: SettingReader<string>;
};

const settings: Settings = {
  attempts: anyConstant,
  tasks: constant(isTasks, "a whole number from 1 to 10,000"),
  timeout: constant(isTimeout, 'a duration from 1 second to 7 days, such as "10m"'),
  ...scaling,
};

type RunnerSettings = SettingsOf<Settings>;

export type ParsedRunner = ParsedConsumerOf<"runner", RunnerSettings>;

export const runner: DeclarationReader<ParsedRunner, Consumer> = {
  read: (source) => readConsumer(source, ["job"], settings),
  model(parsed, service) {
    const { settings } = parsed.config;
    const consumer = consumerModel(parsed, service, deliveryModel(settings));
    return consumer && { ...consumer, tasks: settings.tasks?.value ?? 1 };
  },
};

/** Derives the delivery of a runner's tasks. Failed tasks are retried with the default backoff of messages. */
function deliveryModel({ attempts, timeout }: RunnerSettings): Delivery {
  return {
    maxAttempts: (numberIn(attempts) ?? runnerRetries) + 1,
    minBackoff: minBackoffMs,
    maxBackoff: maxBackoffMs,
    deadline: millisecondsIn(timeout) ?? runnerTimeoutMs,
  };
}

function isTasks(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= mostTasks;
}

function isTimeout(value: unknown): value is string {
  return isDurationBetween(value, shortestRunnerTimeoutMs, longestRunnerTimeoutMs);
}
