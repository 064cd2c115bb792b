import type { Expression, Partial } from "./ast.ts";
import type { Context } from "./context.ts";
import { compileExpression } from "./expression.ts";
import { TemplateError } from "./template-error.ts";
import type { Scope } from "./scope.ts";
import type { Place } from "./unit.ts";

/** Compiles `{{> name context key=value}}`: another template, compiled for this context. */
export function compilePartial(partial: Partial, { scope, context, work }: Place): Context {
  const data = compileData(partial, scope);
  const use = work.usePartial(partialName(partial.name), context);
  work.emitter.value(`${use.function}(${data}, r, p)`);
  return use.end;
}

function partialName(name: Expression): string {
  if (name.type === "PathExpression") return name.original;
  if (name.type === "StringLiteral" || name.type === "NumberLiteral") return String(name.value);
  throw new TemplateError("a partial's name must be written in the template", "choose between partials with {{#if}}");
}

function compileData(partial: Partial, scope: Scope): string {
  const [context, extra] = partial.params;
  if (extra !== undefined)
    throw new TemplateError("a partial takes one context", "name the others: {{> card item open=true}}");
  const base = context === undefined ? scope.context : compileExpression(context, scope);
  const pairs = partial.hash?.pairs ?? [];
  if (pairs.length === 0) return base;
  // Computed keys, because a plain `__proto__:` would set the prototype.
  const pairsText = pairs.map(({ key, value }) => `[${JSON.stringify(key)}]: ${compileExpression(value, scope)}`);
  return `h.merge(${base}, { ${pairsText.join(", ")} })`;
}
