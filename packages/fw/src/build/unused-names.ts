import { parseSync, type ESTree } from "rolldown/utils";
import { closure } from "../lib/closure.ts";
import { edited, type Edit } from "../lib/edits.ts";

/** A function of a chunk's top level. */
interface TopFunction {
  readonly start: number;
  readonly end: number;
  /** The call that gives it its own name again: `__name(pathOf$1, "pathOf")`. */
  readonly naming: Edit | undefined;
}

/**
 * Drops functions of a chunk that nothing uses but the call which names them. The bundler renames functions that share
 * a name and takes that call for a use of them. Lines keep their numbers.
 */
export function withoutUnusedNames(code: string): string {
  if (!code.includes("__name(")) return code;
  const { program } = parseSync("chunk.js", code, { sourceType: "module" });
  const namings = new Map(program.body.flatMap((statement) => namingIn(statement)));
  const functions = new Map<string, TopFunction>();
  let others = "";
  for (const statement of program.body) {
    const { start, end } = statement;
    if (statement.type === "FunctionDeclaration" && statement.id)
      functions.set(statement.id.name, { start, end, naming: namings.get(statement.id.name) });
    else if (namingIn(statement).length === 0) others += `${code.slice(start, end)}\n`;
  }
  const usedNames = closure(namesIn(others), (name) => {
    const declared = functions.get(name);
    return declared === undefined ? [] : namesIn(code.slice(declared.start, declared.end));
  });
  const edits = [...functions].flatMap(([name, { start, end, naming }]) =>
    usedNames.has(name) ? [] : [blank(code, start, end), ...(naming ? [naming] : [])],
  );
  return edited(code, edits);
}

function namingIn(statement: ESTree.Statement | ESTree.Directive): [name: string, naming: Edit][] {
  if (statement.type !== "ExpressionStatement" || statement.expression.type !== "CallExpression") return [];
  const { callee, arguments: given } = statement.expression;
  const [named] = given;
  if (callee.type !== "Identifier" || callee.name !== "__name" || named?.type !== "Identifier") return [];
  return [[named.name, { start: statement.start, end: statement.end, text: "" }]];
}

/** Every word that may be a name; words of strings and comments among them only keep more. */
function namesIn(code: string): readonly string[] {
  return code.match(/[\p{ID_Continue}$]+/gu) ?? [];
}

function blank(code: string, start: number, end: number): Edit {
  return { start, end, text: code.slice(start, end).replace(/[^\n]/g, "") };
}
