import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema, TypeTable } from "../../model/schema.ts";
import type { Question, CheckedType } from "../checker/checker.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { Touched, watched } from "../source/touched.ts";
import { evaluate } from "./evaluate.ts";
import type { Wire } from "./pass.ts";
import { NeedsChecker, type Reading } from "./reading.ts";
import { typeProblem, type TypeProblem } from "./type-problem.ts";
import { topLevel } from "./scope.ts";
import { NamedSchemas } from "./table.ts";
import { withTags } from "./tag.ts";
import {
  isUndefined,
  membersOf,
  open,
  unionOf,
  type Place,
  type ObjectType,
  type RefusalReason,
  type RefusedType,
  undefinedType,
  type Type,
} from "./type.ts";
import { toSchema } from "./wire.ts";

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
  const touched = new Touched();
  const reading: Reading = {
    project: watched(project, touched),
    answers,
    texts,
    touched,
    shadowed: new Map(),
    named: new Map(),
    evaluate: (node, scope) => evaluate(reading, node, scope),
  };
  const wire: Wire = { reading, table: new Map(), named: new Map(), recursive: new Set() };
  return { reading, answers, texts, wire, named: new NamedSchemas(reading, wire.table) };
}

/** What reading a type came to. While there are questions, the rest is provisional. */
export interface Resolved<T> {
  readonly value: T;
  /** Of a response: what its replies are. */
  readonly replies?: readonly ReplyShape[];
  readonly refusals: readonly TypeProblem[];
  readonly questions: readonly Unsettled[];
  /** What findings about the whole point at. */
  readonly at: Span;
  /** The named types that the value refers to, directly or not. */
  readonly types: TypeTable;
  /** Paths of the modules it was read from. A value that the checker inferred depends on their imports, too. */
  readonly modules: readonly string[];
}

export interface Unsettled {
  readonly question: Question;
  readonly form: "data" | "text";
}

/** Where a whole type may hold what a part of one may not. */
export type Use = "value" | "arguments" | "response";

/** The schema of a type node of a module: `Queue<Message>`'s Message, a response, a field. */
export function schemaOf(resolver: Resolver, module: SourceModule, node: ESTree.TSType, use: Use): Resolved<Schema> {
  const place = { module, start: node.start, end: node.end };
  return resolveSchema(resolver, place, use, () => evaluate(resolver.reading, node, topLevel(module)));
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

function convert(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const { schema, refusals, questions } = toSchema(resolver.wire, read, place);
  return {
    value: withTags(schema, resolver.wire.table),
    refusals: refusals.filter(({ reason }) => !contextual.has(reason)),
    questions: questions.map((question) => ({ question, form: "data" })),
  };
}

/** A marker of a request's field says nothing of a value elsewhere, and only documents ask for plain objects. */
const contextual: ReadonlySet<RefusalReason> = new Set(["bound", "instance", "whole"]);

/** What is asked of the checker first is asked as text: the type is read before its parts are. */
function value(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const type = read();
  return convert(resolver, () => type, place);
}

/** Nothing may be all the arguments of a job. */
function jobArguments(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const type = read();
  if (isNothing(type)) return { value: { kind: "void" }, refusals: [], questions: [] };
  return convert(resolver, () => type, place);
}

/** A body, or replies, which are told apart by their statuses: what is no refusal is what the endpoint answers with. */
function response(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const type = read();
  const members = membersOf(type);
  const made = members.flatMap((member) => replyIn(member) ?? []);
  if (made.length === 0) return body(resolver, type, place);
  const plain = members.filter((member) => replyIn(member) === undefined);
  const alone = plain.length === 0 ? [] : [{ body: unionOf(plain), status: undefinedType }];
  const replies = repliesOf([...alone, ...made]);
  const good = replies.filter(({ status }) => status === undefined || status < 300).map((each) => each.type);
  const whole = body(resolver, unionOf(good), place);
  const byStatus = replies.map(({ status, type: each }) => ({ status, found: body(resolver, each, place) }));
  const unknown = made.filter(({ status }) => statusesIn(status) === undefined);
  return {
    value: whole.value,
    refusals: [
      ...whole.refusals,
      ...byStatus.filter(({ status }) => status !== undefined && status >= 300).flatMap(({ found }) => found.refusals),
      ...unknown.map(({ status }) => typeProblem("status", statusName(status), spanOf(place.module, place))),
    ],
    questions: [...whole.questions, ...byStatus.flatMap(({ found }) => found.questions)],
    replies: byStatus.map(({ status, found }) => ({ ...(status !== undefined && { status }), body: found.value })),
  };
}

type ReplyType = NonNullable<RefusedType["reply"]>;

function replyIn(type: Type): ReplyType | undefined {
  const opened = open(type);
  return opened.kind === "refused" ? opened.reply : undefined;
}

/** The bodies of replies by status, in the order of statuses; first those that have their body's own. */
function repliesOf(
  made: readonly ReplyType[],
): readonly { readonly status: number | undefined; readonly type: Type }[] {
  const bodies = new Map<number | undefined, Type[]>();
  for (const { body, status } of made) {
    for (const each of statusesIn(status) ?? []) bodies.set(each, [...(bodies.get(each) ?? []), body]);
  }
  const sorted = [...bodies].toSorted(([a = 0], [b = 0]) => a - b);
  return sorted.map(([status, types]) => ({ status, type: unionOf(types) }));
}

/** The numbers that a type is; undefined where it is another. */
function statusesIn(type: Type): readonly (number | undefined)[] | undefined {
  const statuses = membersOf(type).map((member) => {
    const opened = open(member);
    if (isUndefined(opened)) return undefined;
    return opened.kind === "literal" && typeof opened.value === "number" ? opened.value : NaN;
  });
  return statuses.length === 0 || statuses.some(Number.isNaN) ? undefined : statuses;
}

function statusName(type: Type): string {
  const opened = open(type);
  return opened.kind === "refused" || opened.kind === "primitive" ? opened.name : "it is no number";
}

/** Nothing and a file are whole responses, not values; so is a value that may be nothing. */
function body(resolver: Resolver, type: Type, place: Place): Attempt<Schema> {
  const members = membersOf(type);
  const some = members.filter((member) => !isNothing(member));
  // A handler that always throws answers nothing, too.
  if (some.length === 0) return { value: { kind: "void" }, refusals: [], questions: [] };
  if (members.length > 0 && members.every(isFile)) {
    return file(resolver, members, place);
  }
  if (some.length === members.length) return sent(convert(resolver, () => type, place));
  const found = sent(convert(resolver, () => unionOf(some), place));
  const variants = found.value.kind === "union" ? found.value.variants : [found.value];
  return { ...found, value: { ...found.value, kind: "union", variants: [...variants, { kind: "void" }] } };
}

/** Bytes, or events where each of what is answered is events. */
function file(resolver: Resolver, members: readonly Type[], place: Place): Attempt<Schema> {
  const data = members.map(eventsIn);
  if (data.includes(undefined)) return { value: { kind: "blob" }, refusals: [], questions: [] };
  const found = sent(convert(resolver, () => unionOf(data.flatMap((each) => each ?? [])), place));
  return { ...found, value: { kind: "blob", events: found.value } };
}

function eventsIn(type: Type): Type | undefined {
  const opened = open(type);
  return opened.kind === "known" ? opened.events : undefined;
}

/** A User is sent without its method; received, it would be missed. */
function sent(found: Attempt<Schema>): Attempt<Schema> {
  return { ...found, refusals: found.refusals.filter(({ reason }) => reason !== "user") };
}

/** An uploaded file keeps its marker when a handler sends it back. */
function isFile(type: Type): boolean {
  const opened = open(type);
  if (opened.kind === "bound") return isFile(opened.base);
  return (opened.kind === "known" && opened.name === "Blob") || (opened.kind === "object" && hasBlobShape(opened));
}

/** Anything that opens as a stream and says its type is a file, whatever made it. */
function hasBlobShape({ properties }: ObjectType): boolean {
  const [stream, type] = ["stream", "type"].map((name) => properties.get(name));
  if (!stream || !type || stream.optional || type.optional) return false;
  const opened = open(stream.type());
  return opened.kind === "refused" && opened.reason === "function" && membersOf(type.type()).every(isText);
}

function isText(type: Type): boolean {
  const opened = open(type);
  if (opened.kind === "literal") return typeof opened.value === "string";
  return opened.kind === "pattern" || (opened.kind === "primitive" && opened.name === "string");
}

export function isNothing(type: Type): boolean {
  const opened = open(type);
  return isUndefined(opened) || (opened.kind === "primitive" && opened.name === "void");
}

export interface Attempt<T> {
  readonly value: T;
  readonly replies?: readonly ReplyShape[];
  readonly refusals: readonly TypeProblem[];
  readonly questions: readonly Unsettled[];
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
    if (error instanceof NeedsChecker) {
      return { value: fallback, refusals: [], questions: [{ question: error.question, form: error.form }] };
    }
    // The stack is the only bound on types that are defined as themselves in ways nobody has thought of.
    if (!(error instanceof RangeError)) throw error;
    return {
      value: fallback,
      refusals: [typeProblem("depth", "this type", spanOf(place.module, place))],
      questions: [],
    };
  }
}
