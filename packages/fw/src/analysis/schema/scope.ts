import type { Question } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import type { Reading } from "./reading.ts";
import type { Place, Type } from "./type.ts";

/** A type argument, with the text that names it inside an id. */
export interface Argument {
  readonly type: Type;
  readonly key: string;
}

/** Where a type node stands: its module, and what its type parameters mean there. */
export interface Scope {
  /** The reading that it is part of. */
  readonly reading: Reading;
  readonly module: SourceModule;
  readonly parameters: ReadonlyMap<string, Argument>;
  /** What to ask the checker where this node alone is not enough: the closed type around it. */
  readonly enclosingQuestion?: Question;
  /** What findings point at, in text that is not the application's own. */
  readonly place?: Place;
}

export const noParameters: ReadonlyMap<string, Argument> = new Map();

/** The top level of a module, where no name is a type parameter. */
export function topLevel(reading: Reading, module: SourceModule): Scope {
  const known = reading.topLevels.get(module);
  if (known) return known;
  const scope = { reading, module, parameters: noParameters };
  reading.topLevels.set(module, scope);
  return scope;
}
