import { formatDuration, parseDuration } from "../../../lib/duration.ts";
import { fewestDeliveries, maxBackoffMs, minBackoffMs, mostDeliveries } from "../../../lib/limits.ts";
import type { ParsedSubscribe, ParsedWorker } from "../../readers/consumer.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";
import { durationMistake } from "../phrases.ts";

/** Limit: the longest backoff of a subscriber, in milliseconds. */
const longestTopicBackoffMs = 600_000;

/** Limit: the longest backoff of a worker, in milliseconds. */
const longestQueueBackoffMs = 3_600_000;

/** Limit: the highest rateLimit of a worker, in deliveries per second. */
const highestRateLimit = 500;

export const delivery: Rule = {
  id: "delivery",
  title: "The delivery settings of a `Worker` or a `Subscribe` are within the limits of that kind",
  *declaration(read) {
    if (read.kind !== "worker" && read.kind !== "subscribe") return;
    yield* attempts(read);
    yield* backoffs(read);
    yield* rate(read);
  },
};

type ParsedDelivery = ParsedWorker | ParsedSubscribe;

function* attempts({ config: { settings } }: ParsedDelivery): Iterable<Finding> {
  const { maxAttempts } = settings;
  if (maxAttempts?.value === undefined) return;
  const { at, value } = maxAttempts;
  const hint = `write a whole number from ${fewestDeliveries} to ${mostDeliveries}`;
  if (typeof value !== "number" || !Number.isInteger(value))
    yield { at, message: "maxAttempts is not a whole number", hint };
  else if (value < fewestDeliveries || value > mostDeliveries) {
    yield { at, message: `maxAttempts is ${value}, outside ${fewestDeliveries} to ${mostDeliveries}`, hint };
  }
}

/** A backoff setting; `ms` is undefined if it is invalid. */
interface Backoff {
  readonly at: Located<unknown>["at"] | undefined;
  readonly ms: number | undefined;
}

function* backoffs(read: ParsedDelivery): Iterable<Finding> {
  const { minBackoff, maxBackoff } = read.config.settings;
  const min = yield* backoff(read, "minBackoff", minBackoff, minBackoffMs);
  const max = yield* backoff(read, "maxBackoff", maxBackoff, maxBackoffMs);
  const at = min.at ?? max.at;
  if (min.ms === undefined || max.ms === undefined || !at || min.ms <= max.ms) return;
  const [shorter, longer] = [formatDuration(min.ms), formatDuration(max.ms)];
  yield {
    at,
    message: `${describeBackoff("minBackoff", shorter, min)} is longer than ${describeBackoff("maxBackoff", longer, max)}`,
    hint: "set both: the backoff grows from minBackoff to maxBackoff",
  };
}

function describeBackoff(name: string, text: string, { at }: Backoff): string {
  return at ? `${name} "${text}"` : `the default ${name} "${text}"`;
}

function* backoff(
  { kind }: ParsedDelivery,
  name: string,
  setting: Located<unknown> | undefined,
  defaultMs: number,
): Generator<Finding, Backoff> {
  if (!setting) return { at: undefined, ms: defaultMs };
  const { at, value } = setting;
  // The config-literal rule reports non-constant values.
  if (value === undefined) return { at, ms: undefined };
  const longest = kind === "worker" ? longestQueueBackoffMs : longestTopicBackoffMs;
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined && ms > 0 && ms <= longest) return { at, ms };
  const hint = `write a literal of at most "${formatDuration(longest)}", such as "${formatDuration(defaultMs)}"`;
  const most = { ms: longest, words: formatDuration(longest) };
  const mistake = durationMistake(name, value, { least: { ms: 0, words: "" }, most });
  yield { at, message: mistake ?? `${name} ${JSON.stringify(value)} is not a duration`, hint };
  return { at, ms: undefined };
}

function* rate({ kind, config: { settings } }: ParsedDelivery): Iterable<Finding> {
  const { rateLimit } = settings;
  if (rateLimit?.value === undefined) return;
  const { at, value } = rateLimit;
  if (kind === "subscribe") {
    yield {
      at,
      message: "a Subscribe has no rateLimit",
      hint: "only queues have a rate limit: send the messages to a Queue",
    };
    return;
  }
  const hint = `write deliveries per second, more than 0 and at most ${highestRateLimit}, such as 5 or 0.5`;
  if (typeof value !== "number") yield { at, message: "rateLimit is not a number", hint };
  else if (!(value > 0 && value <= highestRateLimit)) {
    yield { at, message: `rateLimit is ${value}, outside 0 to ${highestRateLimit}`, hint };
  }
}
