import { parseDuration } from "../../lib/duration.ts";
import type { Located } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";

/** Reports a value that must be a string constant. */
export function notConstant(what: string, { at, why, cause }: Located<unknown>, hint: string): Finding {
  return { at, message: `${what} is not a string constant${because(why)}`, hint, ...causedBy(cause) };
}

/**
 * Checks a setting: reports a non-constant value, or the mistake that `mistakeOf` finds, which may have its own hint.
 */
export function* constantMistake(
  name: string,
  setting: Located<unknown> | undefined,
  hint: string,
  mistakeOf: (value: unknown) => string | Omit<Finding, "at"> | undefined,
): Iterable<Finding> {
  if (!setting) return;
  const { at, value, why, cause } = setting;
  const mistake = value === undefined ? `${name} is not a constant${because(why)}` : mistakeOf(value);
  if (mistake === undefined) return;
  yield { at, hint, ...(typeof mistake === "string" ? { message: mistake } : mistake), ...causedBy(cause) };
}

/** Formats a reason as a suffix for a message. */
export function because(why: string | undefined): string {
  return why === undefined ? "" : `: ${why}`;
}

/** Relates a finding to the code that a value comes from. */
export function causedBy(cause: Located<unknown>["cause"]): Pick<Finding, "related"> {
  return cause ? { related: [{ at: cause, message: "it comes from here" }] } : {};
}

interface DurationLimit {
  readonly ms: number;
  /** The bound as text for messages. */
  readonly words: string;
}

/**
 * Describes what is wrong with a duration; undefined if it is within the limits. `whole` also requires a whole number
 * of seconds.
 */
export function durationMistake(
  name: string,
  value: unknown,
  {
    least,
    most,
    whole = false,
  }: { readonly least: DurationLimit; readonly most: DurationLimit; readonly whole?: boolean },
): string | undefined {
  if (typeof value !== "string") return `${name} is not a duration`;
  const ms = parseDuration(value);
  const subject = `${name} "${value}" is`;
  if (ms === undefined) return `${subject} not a duration`;
  if (ms < least.ms) return `${subject} shorter than ${least.words}`;
  if (ms > most.ms) return `${subject} longer than ${most.words}`;
  return whole && ms % 1000 !== 0 ? `${subject} not a whole number of seconds` : undefined;
}
