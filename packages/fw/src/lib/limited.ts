import type { Automaton } from "./pattern/automaton.ts";
import { matches } from "./pattern/match.ts";

/** A value's limits. `min` and `max` bound a number, the characters of a string or the items of a list. */
export interface Limits {
  readonly min?: number;
  readonly max?: number;
  readonly format?: "email" | "url";
  /** The pattern that the whole string must match, as in `Pattern.text`. */
  readonly pattern?: string;
}

/** Limits with their pattern compiled. */
export interface HeldLimits extends Omit<Limits, "pattern"> {
  readonly pattern?: { readonly text: string; readonly automaton: Automaton };
}

/** A limit that a value violates. */
export type Miss =
  | { readonly is: "tooShort" | "tooLong" | "belowMin" | "aboveMax" | "tooFew" | "tooMany"; readonly limit: number }
  | { readonly is: "notEmail" | "notURL" }
  | { readonly is: "notOfPattern"; readonly pattern: string };

/** Returns the first limit that a value violates, if any. */
export function missOf(value: unknown, limits: HeldLimits): Miss | undefined {
  if (typeof value !== "string") return sizeMiss(value, limits);
  return lengthMiss(value, limits) ?? formatMiss(value, limits) ?? patternMiss(value, limits);
}

/** Returns every limit that a value violates, in the order of `missOf`. */
export function allMisses(value: unknown, limits: HeldLimits): readonly Miss[] {
  const misses =
    typeof value === "string"
      ? [lengthMiss(value, limits), formatMiss(value, limits), patternMiss(value, limits)]
      : [sizeMiss(value, limits)];
  return misses.filter((miss) => miss !== undefined);
}

function sizeMiss(value: unknown, { min = -Infinity, max = Infinity }: HeldLimits): Miss | undefined {
  if (Array.isArray(value)) {
    if (value.length < min) return { is: "tooFew", limit: min };
    return value.length > max ? { is: "tooMany", limit: max } : undefined;
  }
  if (typeof value !== "number") return undefined;
  if (value < min) return { is: "belowMin", limit: min };
  return value > max ? { is: "aboveMax", limit: max } : undefined;
}

function lengthMiss(text: string, { min = 0, max = Infinity }: HeldLimits): Miss | undefined {
  // A character has one or two UTF-16 units, so most strings need not be counted.
  if (text.length < min || (text.length < 2 * min && characters(text) < min)) return { is: "tooShort", limit: min };
  if (text.length > 2 * max || (text.length > max && characters(text) > max)) return { is: "tooLong", limit: max };
  return undefined;
}

function formatMiss(text: string, { format }: HeldLimits): Miss | undefined {
  if (format === "email" && !isEmail(text)) return { is: "notEmail" };
  return format === "url" && !isWebAddress(text) ? { is: "notURL" } : undefined;
}

function patternMiss(text: string, { pattern }: HeldLimits): Miss | undefined {
  if (pattern === undefined || matches(text, pattern.automaton)) return undefined;
  return { is: "notOfPattern", pattern: pattern.text };
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The maximum length of an email address, in characters. */
const longestEmail = 254;

/** The rule for HTML forms, plus a dot in the domain. It is unambiguous, so matching takes linear time. */
export const emailPattern: RegExp =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

function isEmail(text: string): boolean {
  if (text.length > longestEmail) return false;
  return emailPattern.test(text);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
