import { parseDuration } from "../../lib/duration.ts";
import type { Located } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";

/** A value that must be a string constant and is none. */
export function notConstant(what: string, { at, why, cause }: Located<unknown>, hint: string): Finding {
  return { at, message: `${what} is not a string constant${because(why)}`, hint, ...causedBy(cause) };
}

/** What a rule says of a setting: of one that is no constant, that; of a constant what `mistakeOf` says, which is no hint of its own where it is a text. */
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

/** Why something is no constant, behind what is said of it. */
export function because(why: string | undefined): string {
  return why === undefined ? "" : `: ${why}`;
}

/** The place that a value comes down to. */
export function causedBy(cause: Located<unknown>["cause"]): Pick<Finding, "related"> {
  return cause ? { related: [{ at: cause, message: "it comes from here" }] } : {};
}

/** An end of a range of durations. */
interface End {
  readonly ms: number;
  /** As messages have it. */
  readonly words: string;
}

/** What keeps a value from being a duration between two ends; `whole` ones are of seconds. */
export function durationMistake(
  name: string,
  value: unknown,
  { least, most, whole = false }: { readonly least: End; readonly most: End; readonly whole?: boolean },
): string | undefined {
  if (typeof value !== "string") return `${name} is not a duration`;
  const ms = parseDuration(value);
  const said = `${name} "${value}" is`;
  if (ms === undefined) return `${said} not a duration`;
  if (ms < least.ms) return `${said} shorter than ${least.words}`;
  if (ms > most.ms) return `${said} longer than ${most.words}`;
  return whole && ms % 1000 !== 0 ? `${said} not a whole number of seconds` : undefined;
}
