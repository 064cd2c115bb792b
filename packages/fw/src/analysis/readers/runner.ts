import { parseDuration } from "../../lib/duration.ts";
import { longestRunnerTimeoutMs, mostTasks, shortestRunnerTimeoutMs } from "../../lib/limits.ts";
import { readConfig } from "./config.ts";
import type { Reader } from "./reader.ts";
import { anyConstant, constantThat } from "./settings.ts";
import { argumentPlace, isText } from "./source.ts";
import { readSourceOf } from "./consumer-source.ts";

const settings = {
  attempts: anyConstant,
  tasks: constantThat(isTasks, "a whole number from 1 to 10,000"),
  timeout: constantThat(isTimeout, 'a duration from 1 second to 7 days, such as "10m"'),
};

/** Reads `Runner(job, handler, config)`. */
export const readRunner: Reader = (source, call, declaration) => {
  return {
    kind: "runner",
    declaration,
    at: argumentPlace(source, call, 0),
    source: readSourceOf(source, call, ["job"]),
    config: readConfig(source, call, 2, settings),
  };
};

function isTasks(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= mostTasks;
}

function isTimeout(value: unknown): value is string {
  const ms = isText(value) ? parseDuration(value) : undefined;
  return ms !== undefined && ms >= shortestRunnerTimeoutMs && ms <= longestRunnerTimeoutMs;
}
