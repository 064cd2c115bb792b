import type { Limits } from "../lib/limited.ts";
import { knownPattern, patternOf } from "../lib/pattern/pattern.ts";
import { longestSample, sampleOf } from "../lib/pattern/sample.ts";

export type ConstraintName =
  | "MinLength"
  | "MaxLength"
  | "Pattern"
  | "Email"
  | "Url"
  | "Min"
  | "Max"
  | "MinItems"
  | "MaxItems";

/** A constraint in a type: `string & MaxLength<200>`. */
export interface Constraint {
  readonly constraint: ConstraintName;
  readonly says: ConstraintReading;
}

/** The limits of a constraint, or what is wrong with its argument. */
type ConstraintReading = { readonly limits: Limits } | { readonly problem: string };

export type Constrained = "text" | "number" | "list";

interface Description {
  readonly of: Constrained;
  /** The argument's type, and the limit that it sets. */
  readonly argument?: { readonly is: "count" | "number"; readonly limit: "min" | "max" } | { readonly is: "pattern" };
  /** The limits of a constraint without an argument. */
  readonly limits?: Limits;
}

const descriptions: Readonly<Record<ConstraintName, Description>> = {
  MinLength: { of: "text", argument: { is: "count", limit: "min" } },
  MaxLength: { of: "text", argument: { is: "count", limit: "max" } },
  Pattern: { of: "text", argument: { is: "pattern" } },
  Email: { of: "text", limits: { format: "email" } },
  Url: { of: "text", limits: { format: "url" } },
  Min: { of: "number", argument: { is: "number", limit: "min" } },
  Max: { of: "number", argument: { is: "number", limit: "max" } },
  MinItems: { of: "list", argument: { is: "count", limit: "min" } },
  MaxItems: { of: "list", argument: { is: "count", limit: "max" } },
};

/**
 * Returns the constraint with this name, as exported (`MaxLength`) or as the key of its mark (`maxLength`). Undefined
 * for other names.
 */
export function constraintNamed(name: string): ConstraintName | undefined {
  const exported = name.charAt(0).toUpperCase() + name.slice(1);
  return Object.hasOwn(descriptions, exported) ? (exported as ConstraintName) : undefined;
}

export function constraintOf(constraint: ConstraintName, argument: unknown): Constraint {
  const { argument: expectedArgument, limits = {} } = descriptions[constraint];
  if (expectedArgument === undefined) return { constraint, says: { limits } };
  if (expectedArgument.is === "pattern") return { constraint, says: patternLimits(argument) };
  const fits =
    typeof argument === "number" &&
    (expectedArgument.is === "count" ? Number.isSafeInteger(argument) && argument >= 0 : Number.isFinite(argument));
  if (fits) return { constraint, says: { limits: { [expectedArgument.limit]: argument } } };
  const noun = expectedArgument.is === "count" ? "whole number of 0 or more" : "number";
  return { constraint, says: { problem: `${constraint} takes a ${noun}` } };
}

/** Returns the problem of a pattern whose string literal lost a backslash: `"\d"` in source is the string `d`. */
export function lostBackslash(escape: string): Constraint {
  const problem = `a string literal drops the backslash of ${escape}: write \\${escape}`;
  return { constraint: "Pattern", says: { problem } };
}

function patternLimits(argument: unknown): ConstraintReading {
  if (typeof argument !== "string") return { problem: "Pattern takes one string literal" };
  const pattern = patternOf(argument);
  if ("problem" in pattern) return { problem: `the pattern ${argument} cannot be used: ${pattern.problem}` };
  return { limits: { pattern: pattern.text } };
}

/** Nouns for the types that a constraint applies to. */
const nouns: Readonly<Record<Constrained, string>> = { text: "strings", number: "numbers", list: "lists" };

function hasLength(pattern: string, min: number, max: number): boolean {
  if (min === -Infinity && max === Infinity) return true;
  const least = Math.max(0, min);
  return least > longestSample || sampleOf(knownPattern(pattern).automaton, least, max) !== undefined;
}

/** Merges constraints. Returns a problem instead if one does not apply to the type or they contradict each other. */
export function limitsWith(
  constraints: readonly Constraint[],
  on: Constrained | undefined,
): { readonly limits: Limits } | { readonly problem: string } {
  const sources: Limits[] = [];
  for (const { constraint, says } of constraints) {
    const { of } = descriptions[constraint];
    if (of !== on) return { problem: `${constraint} applies only to ${nouns[of]}` };
    if ("problem" in says) return says;
    sources.push(says.limits);
  }
  return mergeLimits(sources);
}

/**
 * Merges limits so that all of them hold. Returns a problem for two patterns, or if no value can satisfy the limits.
 */
function mergeLimits(sources: readonly Limits[]): { readonly limits: Limits } | { readonly problem: string } {
  const formats = new Set(sources.flatMap(({ format }) => format ?? []));
  if (formats.size > 1) return { problem: "no string is both an email address and a URL" };
  const patterns = new Set(sources.flatMap(({ pattern }) => pattern ?? []));
  if (patterns.size > 1) return { problem: "a string can have only one Pattern" };
  const [min, max] = [
    Math.max(...sources.map((limits) => limits.min ?? -Infinity)),
    Math.min(...sources.map((limits) => limits.max ?? Infinity)),
  ];
  if (min > max) return { problem: `no value is at least ${min} and at most ${max}` };
  const [format] = formats;
  const [pattern] = patterns;
  if (pattern !== undefined && !hasLength(pattern, min, max))
    return { problem: `no string that matches the pattern ${pattern} has an allowed length` };
  const limits = {
    ...(min > -Infinity && { min }),
    ...(max < Infinity && { max }),
    ...(format && { format }),
    ...(pattern !== undefined && { pattern }),
  };
  return { limits };
}
