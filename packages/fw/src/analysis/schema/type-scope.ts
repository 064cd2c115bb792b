import type { Question } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import type { TypeReading } from "./type-reading.ts";
import type { SourceRange, Type } from "./type.ts";

/** A type argument, with the text that identifies it inside an id. */
export interface TypeArgument {
  readonly type: Type;
  readonly key: string;
}

/** The scope of a type node: its module and type parameters. */
export interface TypeScope {
  readonly reading: TypeReading;
  readonly module: SourceModule;
  readonly parameters: ReadonlyMap<string, TypeArgument>;
  /** The question about the enclosing closed type, if the node alone is not enough for the checker. */
  readonly enclosingQuestion?: Question;
  /** The range at which to report problems, if the node is not in the application's source. */
  readonly range?: SourceRange;
}

export const noParameters: ReadonlyMap<string, TypeArgument> = new Map();

export function topLevel(reading: TypeReading, module: SourceModule): TypeScope {
  const cached = reading.topLevels.get(module);
  if (cached) return cached;
  const scope = { reading, module, parameters: noParameters };
  reading.topLevels.set(module, scope);
  return scope;
}
