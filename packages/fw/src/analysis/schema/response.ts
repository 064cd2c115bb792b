import type { Schema } from "../../model/schema.ts";
import { spanOf } from "../source/position.ts";
import { convert } from "./attempt.ts";
import { settled, type Attempt } from "./pass.ts";
import type { Resolver } from "./schema.ts";
import { typeProblem } from "./type-problem.ts";
import {
  isPrimitive,
  isUndefined,
  membersOf,
  type ObjectType,
  open,
  type Place,
  type RefusedType,
  type Type,
  undefinedType,
  unionOf,
} from "./type.ts";

/** A body, or replies, which are told apart by their statuses: what is no refusal is what the endpoint answers with. */
export function response(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
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
  if (some.length === 0) return settled({ kind: "void" });
  if (members.length > 0 && members.every(isFile)) return file(resolver, members, place);
  if (some.length === members.length) return sent(convert(resolver, () => type, place));
  const found = sent(convert(resolver, () => unionOf(some), place));
  const variants = found.value.kind === "union" ? found.value.variants : [found.value];
  return { ...found, value: { ...found.value, kind: "union", variants: [...variants, { kind: "void" }] } };
}

/** Bytes, or events where each of what is answered is events. */
function file(resolver: Resolver, members: readonly Type[], place: Place): Attempt<Schema> {
  const data = members.map(eventsIn);
  if (data.includes(undefined)) return settled({ kind: "blob" });
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
  return isUndefined(type) || isPrimitive(type, "void");
}
