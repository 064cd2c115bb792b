import type { Limits } from "../lib/limited.ts";

export type ConstraintName = "MinLength" | "MaxLength" | "Email" | "Url" | "Min" | "Max" | "MinItems" | "MaxItems";

/** A constraint as it stands in a type: `string & MaxLength<200>`. */
export interface Constraint {
  readonly constraint: ConstraintName;
  /** Undefined where it is no constant of the type that it has to be. */
  readonly limits: Limits | undefined;
}

/** What a constraint can stand on. */
export type Constrained = "text" | "number" | "list";

interface Description {
  readonly of: Constrained;
  /** What its argument has to be, and which limit it is. */
  readonly argument?: { readonly is: "count" | "number"; readonly limit: "min" | "max" };
  /** Of one without an argument. */
  readonly limits?: Limits;
}

const descriptions: Readonly<Record<ConstraintName, Description>> = {
  MinLength: { of: "text", argument: { is: "count", limit: "min" } },
  MaxLength: { of: "text", argument: { is: "count", limit: "max" } },
  Email: { of: "text", limits: { format: "email" } },
  Url: { of: "text", limits: { format: "url" } },
  Min: { of: "number", argument: { is: "number", limit: "min" } },
  Max: { of: "number", argument: { is: "number", limit: "max" } },
  MinItems: { of: "list", argument: { is: "count", limit: "min" } },
  MaxItems: { of: "list", argument: { is: "count", limit: "max" } },
};

/** The constraint of a name, as `fw` exports it or as the key of its mark has it: `MaxLength`, `maxLength`. */
export function constraintNamed(name: string): ConstraintName | undefined {
  const exported = name.charAt(0).toUpperCase() + name.slice(1);
  return Object.hasOwn(descriptions, exported) ? (exported as ConstraintName) : undefined;
}

/** A constraint with its argument. */
export function constraintOf(constraint: ConstraintName, argument: unknown): Constraint {
  const { argument: wanted, limits } = descriptions[constraint];
  if (wanted === undefined) return { constraint, limits };
  const fits =
    typeof argument === "number" &&
    (wanted.is === "count" ? Number.isSafeInteger(argument) && argument >= 0 : Number.isFinite(argument));
  return { constraint, limits: fits ? { [wanted.limit]: argument } : undefined };
}

/** What a constraint stands on, in words. */
const nouns: Readonly<Record<Constrained, string>> = { text: "texts", number: "numbers", list: "lists" };

/** All of the constraints in one, or what is wrong with them on what they stand. */
export function limitsWith(
  constraints: readonly Constraint[],
  on: Constrained | undefined,
): { readonly limits: Limits } | { readonly problem: string } {
  const known: Limits[] = [];
  for (const { constraint, limits } of constraints) {
    const { of } = descriptions[constraint];
    if (of !== on) return { problem: `${constraint} is for ${nouns[of]}, and does not stand on another type` };
    if (limits === undefined)
      return { problem: `${constraint} takes a ${of === "number" ? "number" : "whole number from 0"}` };
    known.push(limits);
  }
  const formats = new Set(known.flatMap(({ format }) => format ?? []));
  if (formats.size > 1) return { problem: "no text is an email address and a URL" };
  const [min, max] = [
    Math.max(...known.map((each) => each.min ?? -Infinity)),
    Math.min(...known.map((each) => each.max ?? Infinity)),
  ];
  if (min > max) return { problem: `no value is at least ${min} and at most ${max}` };
  const [format] = formats;
  const limits = { ...(min > -Infinity && { min }), ...(max < Infinity && { max }), ...(format && { format }) };
  return { limits };
}
