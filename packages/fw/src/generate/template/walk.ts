import type { Block, Located, Mustache, PartialBlock, Program, Statement, Expression, Partial } from "./ast.ts";
import { compileBlock } from "./blocks.ts";
import type { Context } from "./context.ts";
import { formUses } from "./form-helpers.ts";
import { compileMustache } from "./mustache.ts";
import { localCalls, localHelper } from "./local-helpers.ts";
import { compileComponent, compileSlot, isSlot } from "./slots.ts";
import { TemplateError } from "./template-error.ts";
import { scanHTML } from "./scan-html.ts";
import { attempt, lose, type Place, type Work } from "./unit.ts";
import { beforeBranches, followLiteral } from "./url-value.ts";
import { compileExpression } from "./expression.ts";
import type { Scope } from "./scope.ts";

/** Compiles the statements of a program in order and returns the context at its end. */
export function walk(program: Program | undefined, from: Place): Context {
  let { context } = from;
  for (const statement of program === undefined ? [] : withoutComments(program.body)) {
    context = compileStatement(statement, { ...from, context });
  }
  return context;
}

function compileStatement(statement: Statement, at: Place): Context {
  const { context, work } = at;
  switch (statement.type) {
    case "ContentStatement":
      return compileLiteral(statement, statement.value, at);
    case "MustacheStatement":
      if (isSlot(statement, at)) return attempt(at, statement, () => compileSlot(statement, undefined, at));
      return attempt(at, statement, () => compileMustache(withForms(statement, work), at));
    case "BlockStatement":
      if (isSlot(statement, at)) return attempt(at, statement, () => compileSlot(statement, statement.program, at));
      return attempt(at, statement, () =>
        compileBlock(withForms(statement, work), { ...at, context: beforeBranches(context, work) }),
      );
    case "PartialStatement":
      return attempt(at, statement, () =>
        compilePartial(withForms(statement, work), { ...at, context: beforeBranches(context, work) }),
      );
    case "PartialBlockStatement":
      return attempt(at, statement, () => {
        const branched = { ...at, context: beforeBranches(context, work) };
        const data = compileData(withForms(statement, work), at.scope);
        return compileComponent(statement, partialName(statement.name), data, branched);
      });
    case "CommentStatement":
      return context;
    default:
      return attempt(at, statement, () => {
        throw new TemplateError(
          "templates cannot have decorators or inline partials",
          'fill a slot of a component: {{#> card}}{{#slot "footer"}}…{{/slot}}{{/card}}',
        );
      });
  }
}

/** Returns the statement. Refuses an unknown form field, and a message with the wrong arguments. */
function withForms<T extends Mustache | Block | Partial | PartialBlock>(
  statement: T,
  { formField, checkMessage }: Work,
): T {
  for (const use of formUses(statement)) formField(use);
  for (const call of localCalls(statement)) if (localHelper(call) === "t") checkMessage(call);
  return statement;
}

function compileLiteral(node: Located, text: string, { context, work }: Place): Context {
  try {
    followLiteral(text, context, work);
    const scan = scanHTML(text, context);
    work.emitter.literal(scan.html);
    return scan.context;
  } catch (error) {
    if (error instanceof TemplateError) return lose(work, node, error);
    throw error;
  }
}

/** Removes comments and joins the text on both sides of each, because `<!-{{! }}-` opens an HTML comment. */
function withoutComments(body: readonly Statement[]): Statement[] {
  const statements: Statement[] = [];
  for (const statement of body) {
    const last = statements.at(-1);
    if (statement.type === "CommentStatement") continue;
    if (statement.type === "ContentStatement" && last?.type === "ContentStatement") {
      statements[statements.length - 1] = { ...last, value: last.value + statement.value };
    } else statements.push(statement);
  }
  return statements;
}

/** Compiles `{{> name context key=value}}`: another template, compiled for this context. */
function compilePartial(partial: Partial, { scope, context, work }: Place): Context {
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

function compileData(partial: Pick<Partial, "params" | "hash">, scope: Scope): string {
  const [context, extra] = partial.params;
  if (extra !== undefined)
    throw new TemplateError(
      "a partial takes one positional argument",
      "pass the others by name: {{> card item open=true}}",
    );
  const base = context === undefined ? scope.context : compileExpression(context, scope);
  const pairs = partial.hash?.pairs ?? [];
  if (pairs.length === 0) return base;
  // Use computed keys, because a plain `__proto__:` would set the prototype.
  const pairsText = pairs.map(({ key, value }) => `[${JSON.stringify(key)}]: ${compileExpression(value, scope)}`);
  return `h.merge(${base}, { ${pairsText.join(", ")} })`;
}
