import { isAbsolute, join, relative, sep } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DataType } from "../../model/render.ts";
import type { FileChanges } from "./changes.ts";
import type { CheckedType } from "./checked-type.ts";
import { dataTypes, type DataQuestion } from "./data.ts";
import { declarationNames } from "./declarations.ts";
import { askDiagnostics } from "./diagnostics.ts";
import { placeAll } from "./placed.ts";
import { typeAt, typeText, type Question } from "./question.ts";
import { Server } from "./server.ts";
import type { CheckerOptions } from "./session.ts";
import { walkType } from "./walk.ts";

export type { CheckedNode, CheckedProperty, CheckedType } from "./checked-type.ts";
export type { FileChanges } from "./changes.ts";
export type { DataQuestion } from "./data.ts";
export { CheckerFailure } from "./failure.ts";
export type { Question } from "./question.ts";
export type { CheckerOptions } from "./session.ts";

/** The TypeScript server of one application. It starts with the first question and lives until `close`. */
export interface Checker {
  /** Has the server start now, or take up what was saved, for a caller that has other work to do meanwhile. */
  start(): void;
  /** Takes note of saved files; the next question sees them. */
  update(changes: FileChanges): void;
  /** Types as text, every exported name written `import("/abs/file").Name`. */
  texts(questions: readonly Question[]): Promise<readonly (string | undefined)[]>;
  /** Types as data, walked object by object: exact, and much slower than text. */
  walks(questions: readonly Question[]): Promise<readonly (CheckedType | undefined)[]>;
  /** Types of values as far as templates read them. */
  data(questions: readonly DataQuestion[]): Promise<readonly DataType[]>;
  /** The name of the declaration type of fw that each value has (`EndpointDeclaration`), undefined for any other. */
  declarationsAt(questions: readonly Question[]): Promise<readonly (string | undefined)[]>;
  /**
   * Errors of the application's files, or of some of them, in source order. With a signal one file is checked at a
   * time, so that questions about saved files are answered meanwhile, until it is aborted.
   */
  diagnostics(paths?: readonly string[], signal?: AbortSignal): Promise<readonly Diagnostic[]>;
  close(): Promise<void>;
}

export function openChecker(root: string, options: CheckerOptions = {}): Checker {
  return new TypeScriptChecker(root, options);
}

class TypeScriptChecker implements Checker {
  readonly #root: string;
  readonly #server: Server;

  constructor(root: string, options: CheckerOptions) {
    this.#root = root;
    this.#server = new Server(root, options);
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
    return placeAll(this.#root, await this.#server.ask((project) => askDiagnostics(project, files, isOwn, signal)));
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
