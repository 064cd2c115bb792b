import { isAbsolute, join, relative, sep } from "node:path";
import { type Diagnostic, fixableTypeErrors } from "../../model/diagnostic.ts";
import type { DataType } from "../../model/render.ts";
import type { FileChanges } from "./pending-changes.ts";
import type { CheckedType } from "./checked-type.ts";
import { dataTypes, type DataQuestion } from "./data.ts";
import { askDiagnostics } from "./diagnostics.ts";
import { toDiagnostics } from "./to-diagnostics.ts";
import { typeAt, typeText, type Question, typesAt } from "./question.ts";
import { CheckerServer } from "./server.ts";
import type { CheckerOptions } from "./session.ts";
import { walkType } from "./walk.ts";
import { TypeFlags, type Project, type Type, type Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";
import { commonMistakes, handlerParametersHint, missingImportHint } from "./mistake-hints.ts";
import { markedKeyRemedy, plainType, variableFor } from "./marked-key-hint.ts";
import { type Remedy, canWriteType, convertTo } from "./source-fix.ts";
import { SyntaxKind, type Block, type Expression, type Node, type SwitchStatement } from "typescript/unstable/ast";

export type { CheckedNode, CheckedProperty, CheckedType } from "./checked-type.ts";
export type { FileChanges } from "./pending-changes.ts";
export type { DataQuestion } from "./data.ts";
export type { Question } from "./question.ts";
export type { CheckerOptions } from "./session.ts";

/** The TypeScript server of one application. It starts with `start` or the first query, and runs until `close`. */
export interface Checker {
  /** Starts the server or sends it the saved files early, so that it works in parallel with the caller. */
  start(): void;
  /** Records saved files; the next query sees them. */
  update(changes: FileChanges): void;
  /**
   * Prints types as text, with exported names in the form `import("/abs/file").Name`. Like `walks`, returns undefined
   * for a place without a type.
   */
  texts(questions: readonly Question[]): Promise<readonly (string | undefined)[]>;
  /** Reads types as data, object by object: exact, but much slower than text. */
  walks(questions: readonly Question[]): Promise<readonly (CheckedType | undefined)[]>;
  /** Reads the types of values as deep as templates use them. */
  data(questions: readonly DataQuestion[]): Promise<readonly DataType[]>;
  /**
   * Returns the name of fw's type for each value, such as `EndpointDeclaration` or `EntityQuery`; `any` for values of
   * type `any`, undefined for other types.
   */
  declarationsAt(questions: readonly Question[]): Promise<readonly (string | undefined)[]>;
  /**
   * Returns the type errors of the application's files, or of the given ones, in source order. With a signal it checks
   * one file at a time, so that other queries are answered between files, and rejects once the signal aborts.
   */
  diagnostics(paths?: readonly string[], signal?: AbortSignal): Promise<readonly Diagnostic[]>;
  close(): Promise<void>;
}

export function openChecker(root: string, options: CheckerOptions = {}): Checker {
  return new TypeScriptChecker(root, options);
}

class TypeScriptChecker implements Checker {
  readonly #root: string;
  readonly #server: CheckerServer;

  constructor(root: string, options: CheckerOptions) {
    this.#root = root;
    this.#server = new CheckerServer(root, options);
  }

  start(): void {
    this.#server.start();
  }

  update(changes: FileChanges): void {
    for (const kind of ["changed", "created", "deleted"] as const) {
      for (const path of changes[kind] ?? []) this.#server.note(this.#absolute(path), kind);
    }
  }

  texts(questions: readonly Question[]): Promise<readonly (string | undefined)[]> {
    return this.#server.ask((project) => typeText(project, this.#absoluteAll(questions)));
  }

  walks(questions: readonly Question[]): Promise<readonly (CheckedType | undefined)[]> {
    return this.#server.ask((project) =>
      Promise.all(
        this.#absoluteAll(questions).map(async (question) => {
          const type = await typeAt(project, question);
          return type && walkType(project, type);
        }),
      ),
    );
  }

  data(questions: readonly DataQuestion[]): Promise<readonly DataType[]> {
    return this.#server.ask((project) => dataTypes(project, this.#absoluteAll(questions)));
  }

  declarationsAt(questions: readonly Question[]): Promise<readonly (string | undefined)[]> {
    const isOwn = (file: string): boolean => this.#isOwn(file);
    return this.#server.ask((project) => declarationNames(project, this.#absoluteAll(questions), isOwn));
  }

  async diagnostics(paths?: readonly string[], signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    const files = paths?.map((path) => this.#absolute(path));
    const isOwn = (file: string): boolean => this.#isOwn(file);
    const { errors, remedies } = await this.#server.ask(async (project) => {
      const own = await askDiagnostics(project, files, isOwn, signal);
      return { errors: own, remedies: await remediesFor(project, own) };
    });
    return toDiagnostics(this.#root, errors, remedies);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? path : join(this.#root, path);
  }

  #absoluteAll<Q extends Question>(questions: readonly Q[]): readonly Q[] {
    return questions.map((question) => ({ ...question, path: this.#absolute(question.path) }));
  }

  #isOwn(file: string): boolean {
    const path = relative(this.#root, file);
    return !path.startsWith("..") && !isAbsolute(path) && !path.split(sep).includes("node_modules");
  }
}

/**
 * Returns the name of fw's type for each value; `any` for values of type `any`, undefined for other types. Uses the
 * first named member of a union or intersection. `isOwn` is true for the application's files, which declare no types of
 * fw.
 */
async function declarationNames(
  project: Project,
  questions: readonly Question[],
  isOwn: (file: string) => boolean,
): Promise<readonly (string | undefined)[]> {
  const types = await typesAt(project, questions);
  return Promise.all(types.map(async (type) => type && declarationName(type, isOwn)));
}

async function declarationName(type: Type, isOwn: (file: string) => boolean): Promise<string | undefined> {
  if (type.isErrorType()) return undefined;
  if (type.flags & TypeFlags.Any) return "any";
  if (type.isUnionType() || type.isIntersectionType()) {
    const names = await Promise.all((await type.getTypes()).map((each) => declarationName(each, isOwn)));
    return names.find((name) => name !== undefined);
  }
  if (!type.isObjectType()) return undefined;
  const symbol = await type.getSymbol();
  return symbol !== undefined &&
    /Declaration$|^EntityQuery$/.test(symbol.name) &&
    symbol.declarations.some(({ path }) => /\/declare\/[\w-]+\.(d\.)?ts$/.test(path) && !isOwn(path))
    ? symbol.name
    : undefined;
}

type AskRemedy = (project: Project, error: TypeScriptDiagnostic) => Promise<Remedy | undefined>;

/** Maps TypeScript's error numbers to remedies. */
const remedies: Readonly<Record<number, AskRemedy | undefined>> = {
  [fixableTypeErrors.missingReturn]: markedSwitchRemedy,
  [fixableTypeErrors.missingPath]: markedSwitchRemedy,
  [fixableTypeErrors.unknownKey]: markedKeyRemedy,
  [commonMistakes.missingName]: async (_project, error) => missingImportHint(error),
  [commonMistakes.missingProperty]: async (_project, error) => handlerParametersHint(error),
};

/** Returns hints and fixes for errors that marked types or common mistakes cause. */
async function remediesFor(
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
 * Returns a hint, and a fix if the plain type can be written, for a function that ends in a `switch` over a marked
 * type; undefined for other functions. TypeScript treats a `switch` as exhaustive only if every member of the type is a
 * literal, and a marked literal is an intersection.
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

/**
 * Finds the expression of the `switch` that ends the function at the error; undefined if the function ends otherwise.
 */
async function lastSwitch(project: Project, { fileName, pos }: TypeScriptDiagnostic): Promise<Expression | undefined> {
  const file = fileName === undefined ? undefined : await project.program.getSourceFile(fileName);
  const body = file && innermostBody(file, pos);
  const last = body?.statements.at(-1);
  return last?.kind === SyntaxKind.SwitchStatement ? (last as SwitchStatement).expression : undefined;
}

function innermostBody(node: Node, position: number): Block | undefined {
  return node.forEachChild((child) => {
    if (child.pos > position || child.end <= position) return undefined;
    const { body } = child as Node & { readonly body?: Node };
    return innermostBody(child, position) ?? (body?.kind === SyntaxKind.Block ? (body as Block) : undefined);
  });
}
