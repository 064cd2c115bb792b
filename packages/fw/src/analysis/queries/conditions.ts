import type { ESTree } from "rolldown/utils";
import { mostConditions, mostDeclaredConditions } from "../../lib/limits.ts";
import type { Located } from "../readers/declaration-syntax.ts";
import { isAnything, isUndefined } from "../readers/source.ts";
import { propertyName, unwrap } from "../source/expression.ts";
import { spanOf } from "../source/position.ts";
import { propertiesOf, readLocalConstant } from "./steps.ts";
import type { Frame } from "./frame.ts";

/**
 * Decides from the arguments whether a call of `query` on any object starts a query: `query()` and `query({ conditions:
 * 8 })` do, `query(sql, values)` does not, and for `query(options)` only the type can tell.
 */
export function startsQuery({ arguments: [argument, ...more] }: ESTree.CallExpression): boolean | "unclear" {
  if (!argument) return true;
  if (more.length > 0 && argument.type !== "SpreadElement") return false;
  if (propertiesOf(argument)?.some((each) => propertyName(each) === "conditions") === true) return true;
  return notOptions.has(unwrap(argument).type) ? false : "unclear";
}

const notOptions: ReadonlySet<string> = new Set([
  "ArrayExpression",
  "ArrowFunctionExpression",
  "FunctionExpression",
  "Literal",
  "TemplateLiteral",
]);

/**
 * Reads how many conditional filters a query may have. Reports a number that fw cannot read or that is not allowed, and
 * then assumes the maximum, so that the filters are not reported as well.
 */
export function readConditions({ arguments: [argument] }: ESTree.CallExpression, frame: Frame): number {
  if (!argument || isUndefined(argument)) return mostConditions;
  frame.unused(argument, "is passed to another query");
  const properties = propertiesOf(argument);
  const property = properties?.findLast((each) => propertyName(each) === "conditions");
  if (properties && !property) return mostConditions;
  const reading: Located<unknown> = property
    ? readLocalConstant(property.value, frame, isAnything)
    : { at: spanOf(frame.module, argument), value: undefined };
  if (isAllowed(reading.value)) return reading.value;
  frame.run.report.addFault({ kind: "limit", at: reading.at, reading });
  return mostDeclaredConditions;
}

function isAllowed(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > mostConditions && Number(value) <= mostDeclaredConditions;
}
