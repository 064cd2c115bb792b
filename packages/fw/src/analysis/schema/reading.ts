import type { ESTree } from "rolldown/utils";
import type { CheckedType, Question } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import type { PathTracker } from "../source/path-tracker.ts";
import type { Scope } from "./scope.ts";
import type { NamedType, Place, RefusalReason, Type } from "./type.ts";

/** What reading types shares: the modules, what the checker has answered, and which modules were looked at. */
export interface Reading {
  readonly project: Project;
  readonly answers: ReadonlyMap<string, CheckedType>;
  /** Types of declarations as the checker printed them, parsed. */
  readonly texts: ReadonlyMap<string, SourceModule>;
  /** Paths of modules that what is being read depends on. */
  readonly touched: PathTracker;
  /** Named types by id, so that recursion meets itself. */
  readonly named: Map<string, NamedType>;
  /** The scope of each module's top level. */
  readonly topLevels: Map<SourceModule, Scope>;
  /** Names of types that files add to, by the module's path, undefined for globals; absent until needed. */
  augmented?: ReadonlyMap<string | undefined, ReadonlySet<string>>;
  /** Global names by whether some module declares them for itself. */
  readonly shadowed: Map<string, boolean>;
  /** Reads one type node by syntax, or from an answer of the checker. Throws NeedsChecker, never guesses. */
  readonly evaluate: (node: ESTree.TSType, scope: Scope) => Type;
}

/** Thrown where syntax does not settle a type; caught by who can ask the checker and read again. */
export class NeedsChecker {
  readonly question: Question;
  /** A printed type answers at a fraction of the cost, where all its names can be followed. */
  readonly form: "data" | "text";
  constructor(question: Question, form: "data" | "text" = "data") {
    this.question = question;
    this.form = form;
  }
}

export function questionKey(question: Question): string {
  return `${question.path}:${question.start}:${question.end ?? ""}:${question.argument ?? ""}`;
}

/** Gives a node up to the checker. A node under type parameters is asked for as the closed type around it. */
export function unsure(scope: Scope, node: ESTree.Span): NeedsChecker {
  return new NeedsChecker(scope.enclosingQuestion ?? questionOf(scope.module, node));
}

export function questionOf(module: SourceModule, node: ESTree.Span): Question {
  const mark = markLength(module);
  return { path: module.path, start: node.start - mark, end: node.end - mark };
}

/** TypeScript counts from behind a byte order mark. */
export function markLength(module: SourceModule): number {
  return module.text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

export function placeOf(scope: Scope, node: ESTree.Span): Place {
  return scope.place ?? { module: scope.module, start: node.start, end: node.end };
}

export function refused(reason: RefusalReason, name: string): Type {
  return { kind: "refused", reason, name };
}

/** A type that is read once, and again only when the checker has answered since. A failure is not kept. */
export class TypeMemo {
  #type: Type | undefined;
  #answers = 0;
  #touched: readonly string[] = [];

  /** The modules that the first reading looked at count as looked at in every later one. */
  read(reading: Reading, make: () => Type): Type {
    if (this.#type !== undefined && this.#answers === reading.answers.size) {
      reading.touched.addAll(this.#touched);
      return this.#type;
    }
    const { value, paths } = reading.touched.during(make);
    this.#type = value;
    this.#answers = reading.answers.size;
    this.#touched = paths;
    return value;
  }
}

export function memoized(reading: Reading, make: () => Type): () => Type {
  const memo = new TypeMemo();
  return () => memo.read(reading, make);
}

/** An endpoint's type arguments in `EndpointDeclaration<Req, Res>`. */
export const requestArgument = 0;
export const responseArgument = 1;
/** Of a `SocketDeclaration`. */
export const receivedArgument = 1;
export const sentArgument = 2;
