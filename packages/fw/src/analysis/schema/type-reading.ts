import type { ESTree } from "rolldown/utils";
import type { CheckedType, Question } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import type { PathTracker } from "../source/path-tracker.ts";
import type { TypeScope } from "./type-scope.ts";
import type { NamedType, SourceRange, RefusalReason, Type } from "./type.ts";

/** The state shared by readings of types: the project, the checker's answers, and the modules read. */
export interface TypeReading {
  readonly project: Project;
  readonly answers: ReadonlyMap<string, CheckedType>;
  /** Declaration types as the checker printed them, parsed. */
  readonly texts: ReadonlyMap<string, SourceModule>;
  /** Tracks the modules on which the current reading depends. */
  readonly modules: PathTracker;
  /** Types without type parameters by the node that declares them, so that recursive references terminate. */
  readonly namedTypes: Map<ESTree.Node, NamedType>;
  readonly topLevels: Map<SourceModule, TypeScope>;
  /** By module path, or undefined for the global scope: the names that files add to it; computed on demand. */
  augmented?: ReadonlyMap<string | undefined, ReadonlySet<string>>;
  /** Caches whether a module declares its own type with the name of a global. */
  readonly shadowed: Map<string, boolean>;
  /** Evaluates a type node from its syntax or from the checker's answer. Throws NeedsChecker instead of guessing. */
  readonly evaluate: (node: ESTree.TSType, scope: TypeScope) => Type;
}

/** Thrown if syntax does not determine a type. The caller asks the checker and reads the type again. */
export class NeedsChecker {
  readonly question: Question;
  /** Text is far cheaper than data, but works only if all printed names can be resolved. */
  readonly form: "data" | "text";
  constructor(question: Question, form: "data" | "text" = "data") {
    this.question = question;
    this.form = form;
  }
}

export function questionKey(question: Question): string {
  return `${question.path}:${question.start}:${question.end ?? ""}:${question.argument ?? ""}`;
}

/** Creates the question for a node. In the scope of type parameters, asks for the enclosing closed type instead. */
export function askChecker(scope: TypeScope, node: ESTree.Span): NeedsChecker {
  return new NeedsChecker(scope.enclosingQuestion ?? questionOf(scope.module, node));
}

export function questionOf(module: SourceModule, node: ESTree.Span): Question {
  const mark = markLength(module);
  return { path: module.path, start: node.start - mark, end: node.end - mark };
}

/** Returns the length of the byte order mark, which TypeScript's offsets do not count. */
export function markLength(module: SourceModule): number {
  return module.text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

export function rangeOf(scope: TypeScope, node: ESTree.Span): SourceRange {
  return scope.range ?? { module: scope.module, start: node.start, end: node.end };
}

export function refusedType(reason: RefusalReason, name: string): Type {
  return { kind: "refused", reason, name };
}

/** Caches a type until the checker gives more answers. Does not cache failures. */
export class TypeMemo {
  #type: Type | undefined;
  #answers = 0;
  #modules: readonly string[] = [];

  /** Returns the cached type or makes it. In both cases, records the modules that the type depends on. */
  read(reading: TypeReading, make: () => Type): Type {
    if (this.#type !== undefined && this.#answers === reading.answers.size) {
      reading.modules.addAll(this.#modules);
      return this.#type;
    }
    const { value, paths } = reading.modules.during(make);
    this.#type = value;
    this.#answers = reading.answers.size;
    this.#modules = paths;
    return value;
  }
}

export function memoized(reading: TypeReading, make: () => Type): () => Type {
  const memo = new TypeMemo();
  return () => memo.read(reading, make);
}

/** Indexes of the type arguments of `EndpointDeclaration<Req, Res>`. */
export const requestArgument = 0;
export const responseArgument = 1;
/** Indexes of the type arguments of `SocketDeclaration`. */
export const receivedArgument = 1;
export const sentArgument = 2;
