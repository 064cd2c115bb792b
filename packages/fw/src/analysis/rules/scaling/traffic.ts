import { formatDuration } from "../../../lib/duration.ts";
import { longestWorkerTimeoutMs, shortestTrafficTimeoutMs } from "../../../lib/limits.ts";
import type { Traffic } from "../../../model/scaling.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";
import { durationMistake } from "../phrases.ts";
import { isScaled, unitsOf, type Scaled, type ServiceUnit } from "./units.ts";

/** Limit: the longest `timeout` of a service, in milliseconds. */
const longestTrafficTimeoutMs = 3_600_000;

/** Limit: the longest timeout of a subscriber, in milliseconds. */
const longestSubscriberTimeoutMs = 600_000;

/** Limit: the highest concurrency of an instance. */
const mostConcurrency = 1000;

export const traffic: Rule = {
  id: "traffic",
  title: "The traffic settings of a service are in range, not empty, and available for its kind of declaration",
  *declaration(read) {
    if (!isScaled(read)) return;
    const { traffic } = read.config.settings;
    const fields = Object.entries(traffic?.value ?? {});
    if (read.kind !== "singleton" && traffic?.value && fields.length === 0 && read.config.complete)
      yield { at: traffic.at, message: "traffic is empty", hint: "add a setting, or remove it" };
    for (const [name, setting] of fields) yield* mistake(read, name as keyof Traffic, setting);
  },
  *package(read) {
    for (const unit of unitsOf(read)) yield* instancesMistake(unit);
  },
};

function* mistake(read: Scaled, name: keyof Traffic, setting: Located<unknown>): Iterable<Finding> {
  const { at, value } = setting;
  // The config-literal rule reports non-constant values.
  if (value === undefined) return;
  const unused = unusedBy(read.kind, name);
  if (unused) yield { at, ...unused };
  else if (name === "timeout") yield* timeoutMistake(read.kind, setting);
  else {
    const least = name === "minInstances" ? 0 : 1;
    const most = name === "concurrency" ? mostConcurrency : Infinity;
    const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return;
    const is = typeof value === "number" ? `${name} is ${value}` : `${name} is not a number`;
    yield { at, message: is, hint: `write a whole number ${range}` };
  }
}

/** Explains why a declaration of this kind cannot use a setting; undefined if it can or if another rule reports it. */
function unusedBy(kind: Scaled["kind"], name: keyof Traffic): Pick<Finding, "message" | "hint"> | undefined {
  if (kind === "runner") {
    const hint = "use the runner's own settings instead: { tasks, timeout }";
    return { message: `a Runner has no ${name}`, hint };
  }
  // The singleton-max rule reports maxInstances of a Singleton.
  if (kind === "singleton" && name !== "maxInstances")
    return {
      message: `a Singleton has no ${name}`,
      hint: "remove it: a singleton has one running instance and gets no requests",
    };
  if (kind === "cron" && name === "timeout")
    return { message: "a Cron has no timeout", hint: 'set its deadline instead: { deadline: "5m" }' };
  return undefined;
}

/** The longest time that push delivery waits for a response, in milliseconds, by kind of consumer. */
const longest: Readonly<Partial<Record<Scaled["kind"], number>>> = {
  worker: longestWorkerTimeoutMs,
  subscribe: longestSubscriberTimeoutMs,
};

function* timeoutMistake(kind: Scaled["kind"], { at, value }: Located<unknown>): Iterable<Finding> {
  if (kind === "singleton") return;
  const most = longest[kind] ?? longestTrafficTimeoutMs;
  const least = { ms: shortestTrafficTimeoutMs, words: "1 second" };
  const range = { least, most: { ms: most, words: `${most / 60_000}m` }, whole: true };
  const message = durationMistake("the timeout", value, range);
  const hint = `write a literal from "${formatDuration(shortestTrafficTimeoutMs)}" to "${most / 60_000}m"`;
  if (message !== undefined) yield { at, message, hint };
}

function* instancesMistake({ pins, scaling }: ServiceUnit): Iterable<Finding> {
  const { minInstances = 0, maxInstances = 1 } = scaling.traffic ?? {};
  const { minInstances: fewest, maxInstances: most } = pins;
  if (minInstances <= maxInstances || !fewest || !most || maxInstances < 1) return;
  yield {
    at: fewest.at,
    message: `minInstances ${minInstances} is more than maxInstances ${maxInstances}`,
    hint: "write minInstances that is at most maxInstances",
    related: [{ at: most.at, message: "maxInstances is here" }],
  };
}
