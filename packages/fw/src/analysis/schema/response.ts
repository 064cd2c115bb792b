import { append } from "../../lib/grouped.ts";
import type { Schema } from "../../model/schema.ts";
import { spanOf } from "../source/position.ts";
import { convertType } from "./convert-type.ts";
import { resolved, type Attempt } from "./conversion.ts";
import type { TypeResolver } from "./schema.ts";
import { typeProblem } from "./type-problem.ts";
import {
  isPrimitive,
  isUndefined,
  membersOf,
  type ObjectType,
  open,
  type SourceRange,
  type RefusedType,
  type Type,
  undefinedType,
  unionOf,
} from "./type.ts";

/** Reads a response: a body, or replies by status. Types that are not replies form the body of the default response. */
export function readResponse(resolver: TypeResolver, read: () => Type, place: SourceRange): Attempt<Schema> {
  const type = read();
  const members = membersOf(type);
  const replyTypes = members.flatMap((member) => replyIn(member) ?? []);
  if (replyTypes.length === 0) return readBody(resolver, type, place);
  const replies = repliesOf([...plainReply(members), ...replyTypes]);
  const good = replies.filter(({ status }) => status === undefined || status < 300).map((each) => each.type);
  const whole = readBody(resolver, unionOf(good), place);
  const byStatus = replies.map(({ status, type: each, isError }) => {
    return { status, isError, found: readBody(resolver, each, place) };
  });
  return {
    value: whole.value,
    refusals: [
      ...whole.refusals,
      ...byStatus.filter(({ status }) => status !== undefined && status >= 300).flatMap(({ found }) => found.refusals),
      ...replyTypes
        .filter(({ status }) => statusesIn(status) === undefined)
        .map(({ status }) => typeProblem("status", statusName(status), spanOf(place.module, place))),
    ],
    questions: [...whole.questions, ...byStatus.flatMap(({ found }) => found.questions)],
    replies: byStatus.map(({ status, found, isError }) => {
      return { ...(status !== undefined && { status }), ...(isError && { isError }), body: found.value };
    }),
  };
}

/** Combines the members that are not replies into one reply with the default status. */
function plainReply(members: readonly Type[]): readonly { readonly body: Type; readonly status: Type }[] {
  const plain = members.filter((member) => replyIn(member) === undefined);
  return plain.length === 0 ? [] : [{ body: unionOf(plain), status: undefinedType }];
}

type ReplyType = NonNullable<RefusedType["reply"]>;

function replyIn(type: Type): ReplyType | undefined {
  const inner = open(type);
  return inner.kind === "refused" ? inner.reply : undefined;
}

/** Groups the bodies of replies by status, sorted; replies without a status come first. */
function repliesOf(
  replyTypes: readonly ReplyType[],
): readonly { readonly status: number | undefined; readonly type: Type; readonly isError: boolean }[] {
  const byStatus = new Map<number | undefined, ReplyType[]>();
  for (const reply of replyTypes) {
    for (const each of statusesIn(reply.status) ?? []) append(byStatus, each, reply);
  }
  const sorted = [...byStatus].toSorted(([a = 0], [b = 0]) => a - b);
  return sorted.map(([status, all]) => {
    return { status, type: unionOf(all.map(({ body }) => body)), isError: all.every(({ isError }) => isError) };
  });
}

/** Lists the statuses in a type, with undefined for the default status; undefined if one is not a literal number. */
function statusesIn(type: Type): readonly (number | undefined)[] | undefined {
  const statuses = membersOf(type).map((member) => {
    const inner = open(member);
    if (isUndefined(inner)) return undefined;
    return inner.kind === "literal" && typeof inner.value === "number" ? inner.value : NaN;
  });
  return statuses.length === 0 || statuses.some(Number.isNaN) ? undefined : statuses;
}

function statusName(type: Type): string {
  const inner = open(type);
  return inner.kind === "refused" || inner.kind === "primitive" ? inner.name : "it is not a number";
}

/** Reads a body. Only a whole response can be empty or a file, not a value inside one. */
function readBody(resolver: TypeResolver, type: Type, place: SourceRange): Attempt<Schema> {
  const members = membersOf(type);
  const values = members.filter((member) => !isNothing(member));
  // A handler that always throws also has an empty response.
  if (values.length === 0) return resolved({ kind: "void" });
  if (members.length > 0 && members.every(isFile)) return readFileResponse(resolver, members, place);
  if (values.length === members.length) return withoutUserProblems(convertType(resolver, () => type, place));
  const attempt = withoutUserProblems(convertType(resolver, () => unionOf(values), place));
  const variants = attempt.value.kind === "union" ? attempt.value.variants : [attempt.value];
  return { ...attempt, value: { ...attempt.value, kind: "union", variants: [...variants, { kind: "void" }] } };
}

/** Reads a file response: bytes, or an event stream if all members are events. */
function readFileResponse(resolver: TypeResolver, members: readonly Type[], place: SourceRange): Attempt<Schema> {
  const data = members.map(eventsIn);
  if (data.includes(undefined)) return resolved({ kind: "blob" });
  const attempt = withoutUserProblems(convertType(resolver, () => unionOf(data.flatMap((each) => each ?? [])), place));
  return { ...attempt, value: { kind: "blob", events: attempt.value } };
}

function eventsIn(type: Type): Type | undefined {
  const inner = open(type);
  return inner.kind === "known" ? inner.events : undefined;
}

/** Accepts a User in a response: encoding omits its method, which a request could not provide. */
function withoutUserProblems(attempt: Attempt<Schema>): Attempt<Schema> {
  return { ...attempt, refusals: attempt.refusals.filter(({ reason }) => reason !== "user") };
}

/** True for a file, with or without the marker of an uploaded file. */
function isFile(type: Type): boolean {
  const inner = open(type);
  if (inner.kind === "bound") return isFile(inner.base);
  return (inner.kind === "known" && inner.name === "Blob") || (inner.kind === "object" && hasBlobShape(inner));
}

/** Recognizes a file: any object with a `stream` method and a `type` that is a string. */
function hasBlobShape({ properties }: ObjectType): boolean {
  const [stream, type] = ["stream", "type"].map((name) => properties.get(name));
  if (!stream || !type || stream.optional || type.optional) return false;
  const inner = open(stream.type());
  return inner.kind === "refused" && inner.reason === "function" && membersOf(type.type()).every(isStringType);
}

function isStringType(type: Type): boolean {
  const inner = open(type);
  if (inner.kind === "literal") return typeof inner.value === "string";
  return inner.kind === "pattern" || (inner.kind === "primitive" && inner.name === "string");
}

export function isNothing(type: Type): boolean {
  return isUndefined(type) || isPrimitive(type, "void");
}
