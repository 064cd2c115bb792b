import { mostRetries } from "../../../lib/limits.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";

export const retries: Rule = {
  id: "retries",
  title: "The attempts of a Runner are a constant from 0 to 10",
  *declaration(read) {
    const attempts = read.kind === "runner" ? read.config.settings.attempts : undefined;
    const message = attempts && attemptsMistake(attempts);
    if (attempts && message !== undefined) yield { at: attempts.at, message, hint, ...causedBy(attempts.cause) };
  },
};

const hint = `write a whole number from 0 to ${mostRetries}: how often a task that failed is tried again`;

function attemptsMistake({ value, why }: Located<unknown>): string | undefined {
  if (value === undefined)
    return why === undefined ? "attempts is not a constant" : `attempts is not a constant: ${why}`;
  if (typeof value !== "number" || !Number.isInteger(value)) return "attempts is not a whole number";
  return value < 0 || value > mostRetries ? `attempts is ${value}, outside 0 to ${mostRetries}` : undefined;
}
