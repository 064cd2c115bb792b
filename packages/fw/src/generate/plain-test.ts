import { limitsOf, type Schema } from "../model/schema.ts";
import { text } from "./text.ts";

/** The maximum number of strings in a union to compare one by one; a larger union uses a set. */
const comparedStrings = 8;

/** The settings for the tests of one module. */
export interface TestOptions {
  /** True if numbers may be bigints, which must be converted. */
  readonly exact: boolean;
  /** True if tests check limits. */
  readonly checks: boolean;
  /** Adds a module-level constant and returns its name. */
  readonly constant: (expression: string) => string;
}

/**
 * Returns the condition under which `value` matches `schema` and can be used unchanged; undefined if it must be copied.
 */
export function testOf(schema: Schema, value: string, options: TestOptions): string | undefined {
  if (options.checks && limitsOf(schema) !== undefined) return undefined;
  switch (schema.kind) {
    case "string":
      return schema.pattern === undefined
        ? `typeof ${value} === "string"`
        : `isOfPattern(${value}, ${options.constant(JSON.stringify(schema.pattern))})`;
    case "boolean":
      return `typeof ${value} === "${schema.kind}"`;
    case "number":
      return options.exact ? undefined : `Number.isFinite(${value})`;
    case "int":
      return `Number.isSafeInteger(${value})`;
    case "null":
      return `${value} === null`;
    case "literal":
      return `${value} === ${typeof schema.value === "string" ? text(schema.value) : String(schema.value)}`;
    case "never":
      return "false";
    case "union":
      return unionTest(schema.variants, value, options);
    default:
      return undefined;
  }
}

function unionTest(variants: readonly Schema[], value: string, options: TestOptions): string | undefined {
  const strings = variants.flatMap((variant) => stringOf(variant) ?? []);
  const isLong = strings.length > comparedStrings;
  const compared = isLong ? variants.filter((variant) => stringOf(variant) === undefined) : variants;
  const tests = compared.map((variant) => testOf(variant, value, options));
  if (tests.includes(undefined)) return undefined;
  if (isLong) tests.push(`${options.constant(`new Set([${strings.map(text).join(", ")}])`)}.has(${value})`);
  return `(${tests.join(" || ")})`;
}

function stringOf(schema: Schema): string | undefined {
  return schema.kind === "literal" && typeof schema.value === "string" ? schema.value : undefined;
}
