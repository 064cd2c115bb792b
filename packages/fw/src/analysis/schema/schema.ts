import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import { type Schema, type TypeTable, refsIn } from "../../model/schema.ts";
import type { CheckedType } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { PathTracker, trackModules } from "../source/path-tracker.ts";
import { convertType } from "./convert-type.ts";
import { evaluate } from "./evaluate.ts";
import { resolved, type Attempt, type SchemaConverter } from "./conversion.ts";
import { NeedsChecker, type TypeReading } from "./type-reading.ts";
import { isNothing, readResponse } from "./response.ts";
import { topLevel } from "./type-scope.ts";
import { typeProblem } from "./type-problem.ts";
import type { SourceRange, Type } from "./type.ts";
import { withTags } from "./tag.ts";

export type { TypeProblem } from "./type-problem.ts";

/** Reads types from one state of the source; each type is read once. */
export interface TypeResolver {
  readonly reading: TypeReading;
  readonly wire: SchemaConverter;
  readonly answers: Map<string, CheckedType>;
  readonly texts: Map<string, SourceModule>;
  readonly namedSchemas: NamedSchemas;
}

export function createResolver(project: Project): TypeResolver {
  const answers = new Map<string, CheckedType>();
  const texts = new Map<string, SourceModule>();
  const modules = new PathTracker();
  const reading: TypeReading = {
    project: trackModules(project, modules),
    answers,
    texts,
    modules,
    shadowed: new Map(),
    namedTypes: new Map(),
    topLevels: new Map(),
    evaluate,
  };
  const wire: SchemaConverter = { reading, table: new Map(), wireTypes: new Map(), recursive: new Set() };
  return { reading, answers, texts, wire, namedSchemas: new NamedSchemas(reading, wire.table) };
}

/** The result of reading a type, with its dependencies. */
export interface ResolvedType<T> extends Attempt<T> {
  /** The range at which to report problems of the whole type. */
  readonly at: Span;
  /** The named types that the value refers to, directly or indirectly. */
  readonly types: TypeTable;
  /** Paths of the modules it was read from. A value inferred by the checker also depends on their imports. */
  readonly modules: readonly string[];
}

/** The use of a type, which determines what the whole type may be. */
export type TypeUse = "value" | "arguments" | "response";

/** Reads a type node of a module: the Message in `Queue<Message>`, a response, a field. */
export function schemaOf(
  resolver: TypeResolver,
  module: SourceModule,
  node: ESTree.TSType,
  use: TypeUse,
): ResolvedType<Schema> {
  const place = { module, start: node.start, end: node.end };
  return resolveSchema(resolver, place, use, () => evaluate(node, topLevel(resolver.reading, module)));
}

export function resolveSchema(
  resolver: TypeResolver,
  place: SourceRange,
  use: TypeUse,
  read: () => Type,
): ResolvedType<Schema> {
  const attempt = (): Attempt<Schema> => attempts[use](resolver, read, place);
  return runReading(resolver, place, unread, attempt, (schema, replies = []) => [
    schema,
    ...replies.map(({ body }) => body),
  ]);
}

const attempts: Readonly<
  Record<TypeUse, (resolver: TypeResolver, read: () => Type, place: SourceRange) => Attempt<Schema>>
> = {
  value: readValue,
  arguments: readJobArguments,
  response: readResponse,
};

const unread: Schema = { kind: "json" };

/** Reads a value. Evaluates the type before converting it, so that the first question asks for text. */
function readValue(resolver: TypeResolver, read: () => Type, place: SourceRange): Attempt<Schema> {
  const type = read();
  return convertType(resolver, () => type, place);
}

function readJobArguments(resolver: TypeResolver, read: () => Type, place: SourceRange): Attempt<Schema> {
  const type = read();
  if (isNothing(type)) return resolved({ kind: "void" });
  return convertType(resolver, () => type, place);
}

/** Runs a reading and turns exceptions into questions and problems. `schemas` lists the schemas in a value. */
export function runReading<T>(
  resolver: TypeResolver,
  place: SourceRange,
  fallback: T,
  read: () => Attempt<T>,
  schemas: (value: T, replies?: readonly ReplyShape[]) => readonly Schema[],
): ResolvedType<T> {
  const { value, paths } = resolver.reading.modules.during(() => catchProblems(place, fallback, read));
  return {
    ...value,
    at: spanOf(place.module, place),
    types: resolver.namedSchemas.typesOf(schemas(value.value, value.replies)),
    modules: paths.toSorted(),
  };
}

function catchProblems<T>(place: SourceRange, fallback: T, read: () => Attempt<T>): Attempt<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof NeedsChecker) return { ...resolved(fallback), questions: [error] };
    // A stack overflow is the last limit for self-referencing types.
    if (!(error instanceof RangeError)) throw error;
    return { ...resolved(fallback), refusals: [typeProblem("depth", "this type", spanOf(place.module, place))] };
  }
}

/** Caches the named types behind refs, with tags, until the checker gives more answers. */
class NamedSchemas {
  readonly #reading: TypeReading;
  readonly #table: ReadonlyMap<string, Schema>;
  #cache = new Map<string, NamedSchema>();
  #answers = 0;

  constructor(reading: TypeReading, table: ReadonlyMap<string, Schema>) {
    this.#reading = reading;
    this.#table = table;
  }

  /** Returns the types that schemas refer to, directly or indirectly, sorted by id. */
  typesOf(schemas: readonly Schema[]): TypeTable {
    const schemasById = new Map<string, Schema>();
    const waiting = schemas.flatMap(refsIn);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const named = schemasById.has(id) ? undefined : this.#named(id);
      if (!named) continue;
      schemasById.set(id, named.schema);
      waiting.push(...named.refs);
    }
    return Object.fromEntries([...schemasById].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #named(id: string): NamedSchema | undefined {
    if (this.#answers !== this.#reading.answers.size) this.#cache = new Map();
    this.#answers = this.#reading.answers.size;
    const cached = this.#cache.get(id);
    const schema = cached ? undefined : this.#table.get(id);
    if (!schema) return cached;
    const entry = { schema: withTags(schema, this.#table), refs: refsIn(schema) };
    this.#cache.set(id, entry);
    return entry;
  }
}

interface NamedSchema {
  readonly schema: Schema;
  readonly refs: readonly string[];
}
