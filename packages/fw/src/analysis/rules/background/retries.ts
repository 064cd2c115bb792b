import { mostRetries } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";
import { constantMistake } from "../phrases.ts";

export const retries: Rule = {
  id: "retries",
  title: "The `attempts` of a `Runner` are a constant whole number from 0 to 10",
  *declaration(read) {
    if (read.kind === "runner")
      yield* constantMistake("attempts", read.config.settings.attempts, hint, attemptsMistake);
  },
};

const hint = `write a whole number from 0 to ${mostRetries}, the number of retries of a failed task`;

function attemptsMistake(value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return "attempts is not a whole number";
  return value < 0 || value > mostRetries ? `attempts is ${value}, outside 0 to ${mostRetries}` : undefined;
}
