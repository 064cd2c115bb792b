import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema, TypeTable } from "../../model/schema.ts";
import type { CheckedType } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { PathTracker, trackModules } from "../source/path-tracker.ts";
import { convert } from "./attempt.ts";
import { evaluate } from "./evaluate.ts";
import { settled, type Attempt, type Wire } from "./pass.ts";
import { NeedsChecker, type Reading } from "./reading.ts";
import { isNothing, response } from "./response.ts";
import { topLevel } from "./scope.ts";
import { NamedSchemas } from "./table.ts";
import { typeProblem } from "./type-problem.ts";
import type { Place, Type } from "./type.ts";

export type { TypeProblem } from "./type-problem.ts";

/** Types of one state of an application's source. What it has read once it does not read again. */
export interface Resolver {
  readonly reading: Reading;
  readonly wire: Wire;
  readonly answers: Map<string, CheckedType>;
  readonly texts: Map<string, SourceModule>;
  readonly named: NamedSchemas;
}

export function createResolver(project: Project): Resolver {
  const answers = new Map<string, CheckedType>();
  const texts = new Map<string, SourceModule>();
  const touched = new PathTracker();
  const reading: Reading = {
    project: trackModules(project, touched),
    answers,
    texts,
    touched,
    shadowed: new Map(),
    named: new Map(),
    topLevels: new Map(),
    evaluate,
  };
  const wire: Wire = { reading, table: new Map(), named: new Map(), recursive: new Set() };
  return { reading, answers, texts, wire, named: new NamedSchemas(reading, wire.table) };
}

/** What reading a type came to, with what it was read from. */
export interface Resolved<T> extends Attempt<T> {
  /** What findings about the whole point at. */
  readonly at: Span;
  /** The named types that the value refers to, directly or not. */
  readonly types: TypeTable;
  /** Paths of the modules it was read from. A value that the checker inferred depends on their imports, too. */
  readonly modules: readonly string[];
}

/** Where a whole type may hold what a part of one may not. */
export type Use = "value" | "arguments" | "response";

/** The schema of a type node of a module: `Queue<Message>`'s Message, a response, a field. */
export function schemaOf(resolver: Resolver, module: SourceModule, node: ESTree.TSType, use: Use): Resolved<Schema> {
  const place = { module, start: node.start, end: node.end };
  return resolveSchema(resolver, place, use, () => evaluate(node, topLevel(resolver.reading, module)));
}

export function resolveSchema(resolver: Resolver, place: Place, use: Use, read: () => Type): Resolved<Schema> {
  const attempt = (): Attempt<Schema> => attempts[use](resolver, read, place);
  return settle(resolver, place, unread, attempt, (schema, replies = []) => [
    schema,
    ...replies.map(({ body }) => body),
  ]);
}

const attempts: Readonly<Record<Use, (resolver: Resolver, read: () => Type, place: Place) => Attempt<Schema>>> = {
  value,
  arguments: jobArguments,
  response,
};

const unread: Schema = { kind: "json" };

/** What is asked of the checker first is asked as text: the type is read before its parts are. */
function value(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const type = read();
  return convert(resolver, () => type, place);
}

/** Nothing may be all the arguments of a job. */
function jobArguments(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const type = read();
  if (isNothing(type)) return settled({ kind: "void" });
  return convert(resolver, () => type, place);
}

/** Runs a reading, and turns what stops it into questions and refusals. `schemas` are those that its value holds. */
export function settle<T>(
  resolver: Resolver,
  place: Place,
  fallback: T,
  read: () => Attempt<T>,
  schemas: (value: T, replies?: readonly ReplyShape[]) => readonly Schema[],
): Resolved<T> {
  const { value, paths } = resolver.reading.touched.during(() => guarded(place, fallback, read));
  return {
    ...value,
    at: spanOf(place.module, place),
    types: resolver.named.behind(schemas(value.value, value.replies)),
    modules: paths.toSorted(),
  };
}

function guarded<T>(place: Place, fallback: T, read: () => Attempt<T>): Attempt<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof NeedsChecker) return { ...settled(fallback), questions: [error] };
    // The stack is the only bound on types that are defined as themselves in ways nobody has thought of.
    if (!(error instanceof RangeError)) throw error;
    return { ...settled(fallback), refusals: [typeProblem("depth", "this type", spanOf(place.module, place))] };
  }
}
