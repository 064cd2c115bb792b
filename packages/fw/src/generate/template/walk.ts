import type { Located, Program, Statement } from "./ast.ts";
import { compileBlock } from "./blocks.ts";
import type { Context } from "./context.ts";
import { compileMustache } from "./mustache.ts";
import { compilePartial } from "./partial.ts";
import { TemplateError } from "./template-error.ts";
import { scanHTML } from "./scan-html.ts";
import type { Scope } from "./scope.ts";
import { attempt, lose, type Work } from "./unit.ts";
import { beforeBranches, followLiteral } from "./url-value.ts";

/** Compiles the statements of a program, one after the other; gives the place where it ends. */
export function walk(program: Program | undefined, scope: Scope, from: Context, work: Work): Context {
  let context = from;
  for (const statement of program === undefined ? [] : withoutComments(program.body)) {
    context = compileStatement(statement, scope, context, work);
  }
  return context;
}

function compileStatement(statement: Statement, scope: Scope, context: Context, work: Work): Context {
  switch (statement.type) {
    case "ContentStatement":
      return compileLiteral(statement, statement.value, context, work);
    case "MustacheStatement":
      return attempt(work, statement, context, () => compileMustache(statement, scope, context, work));
    case "BlockStatement":
      return attempt(work, statement, context, () =>
        compileBlock(statement, scope, beforeBranches(context, work), work),
      );
    case "PartialStatement":
      return attempt(work, statement, context, () =>
        compilePartial(statement, scope, beforeBranches(context, work), work),
      );
    case "CommentStatement":
      return context;
    default:
      return attempt(work, statement, context, () => {
        throw new TemplateError(
          "partial blocks and decorators are not part of fw's templates",
          "pass what differs to a partial by name",
        );
      });
  }
}

function compileLiteral(at: Located, text: string, context: Context, work: Work): Context {
  try {
    followLiteral(text, context, work);
    const scanned = scanHTML(text, context);
    work.emitter.literal(scanned.html);
    return scanned.context;
  } catch (error) {
    if (error instanceof TemplateError) return lose(work, at, error);
    throw error;
  }
}

/** Text that only a comment divides is one text: `<!-{{! }}-` opens a comment. */
function withoutComments(body: readonly Statement[]): Statement[] {
  const kept: Statement[] = [];
  for (const statement of body) {
    const last = kept.at(-1);
    if (statement.type === "CommentStatement") continue;
    if (statement.type === "ContentStatement" && last?.type === "ContentStatement") {
      kept[kept.length - 1] = { ...last, value: last.value + statement.value };
    } else kept.push(statement);
  }
  return kept;
}
