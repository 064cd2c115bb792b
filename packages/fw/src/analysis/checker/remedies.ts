import type { Diagnostic as TypeScriptDiagnostic, Project } from "typescript/unstable/async";
import { fixableTypeErrors } from "../../model/diagnostic.ts";
import { markedKeyRemedy, plainType, variableFor } from "./marked-key-hint.ts";
import { type Remedy, canWriteType, convertTo } from "./source-fix.ts";
import { SyntaxKind, type Block, type Expression, type Node, type SwitchStatement } from "typescript/unstable/ast";

type AskRemedy = (project: Project, error: TypeScriptDiagnostic) => Promise<Remedy | undefined>;

/** Maps TypeScript's error numbers to remedies. */
const remedies: Readonly<Record<number, AskRemedy | undefined>> = {
  [fixableTypeErrors.missingReturn]: markedSwitchRemedy,
  [fixableTypeErrors.missingPath]: markedSwitchRemedy,
  [fixableTypeErrors.unknownKey]: markedKeyRemedy,
};

/** Returns hints and fixes for errors that only marked types cause. */
export async function remediesFor(
  project: Project,
  errors: readonly TypeScriptDiagnostic[],
): Promise<ReadonlyMap<TypeScriptDiagnostic, Remedy>> {
  const byError = new Map<TypeScriptDiagnostic, Remedy>();
  for (const error of errors) {
    const remedy = await remedies[error.code]?.(project, error);
    if (remedy) byError.set(error, remedy);
  }
  return byError;
}

/**
 * Returns a hint and a fix for a function that ends in a `switch` over a marked type. TypeScript treats a `switch` as
 * exhaustive only if every member of the type is a literal, and a marked literal is an intersection.
 */
async function markedSwitchRemedy(project: Project, error: TypeScriptDiagnostic): Promise<Remedy | undefined> {
  const expression = await lastSwitch(project, error);
  const type = expression && (await project.checker.getTypeAtLocation(expression));
  const plain = type && plainType(await project.checker.typeToString(type));
  if (expression === undefined || plain === undefined) return undefined;
  const text = expression.getText();
  const hint = `name the plain type first, as in \`const ${variableFor(text)}: ${plain} = ${text}\`, and switch on it`;
  if (!(await canWriteType(project, plain, expression))) return { hint };
  return { hint, fix: { title: `Convert the value to ${plain}`, edits: [convertTo(plain, expression)] } };
}

/** Finds the expression of the `switch` that ends the function at the error. */
async function lastSwitch(project: Project, { fileName, pos }: TypeScriptDiagnostic): Promise<Expression | undefined> {
  const file = fileName === undefined ? undefined : await project.program.getSourceFile(fileName);
  const body = file && innermostBody(file, pos);
  const last = body?.statements.at(-1);
  return last?.kind === SyntaxKind.SwitchStatement ? (last as SwitchStatement).expression : undefined;
}

/** Returns the body of the innermost function that contains a position. */
function innermostBody(node: Node, position: number): Block | undefined {
  return node.forEachChild((child) => {
    if (child.pos > position || child.end <= position) return undefined;
    const { body } = child as Node & { readonly body?: Node };
    return innermostBody(child, position) ?? (body?.kind === SyntaxKind.Block ? (body as Block) : undefined);
  });
}
