import type { Span } from "../../model/diagnostic.ts";
import type { RefusalReason } from "./type.ts";

/** A type that cannot be sent, said to the person who wrote it. */
export interface TypeProblem {
  readonly at: Span;
  readonly reason: RefusalReason;
  /** The type, as it is written. */
  readonly name: string;
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
}

const hints: Readonly<Record<RefusalReason, string>> = {
  any: "write its type; Json stands for any JSON value",
  unknown: "write its type; Json stands for any JSON value",
  object: "list its fields, or write Record<string, T>; Json stands for any JSON value",
  function: "keep functions out of requests and responses; send the data they work on",
  symbol: "write a string or a union of string literals",
  bigint: "write Int64 for a 64-bit integer, or string for a longer one",
  map: "write Record<string, T>, or an array of pairs",
  set: "write an array",
  class: "write an interface of its fields, and send an object of that shape",
  global: "send the data that you need of it: a string, a number, or an object with fields",
  never: "leave the field out, or write the type that it can have",
  circular: "give the type a part that is not itself",
  "number-keys": "write Record<string, T>: keys on the wire are text",
  "symbol-keys": "use names as keys",
  "mixed-keys": "put the open-ended keys into a field of their own: { name: string; extra: Record<string, T> }",
  undefined: "write null for a value that may be missing, or make the field optional",
  blob: "a file is the whole of a response, or a Form<Blob> field of a request",
  void: "write null, or leave it out",
  depth: "write a type that nests less deeply, or Json",
  size: "write a smaller type, or Json",
  unresolved: "write the type out as an interface",
  request:
    "write an interface of the fields that the handler takes; a list, a union or a single value goes into a field",
  bound: "mark a field of the request itself: what is inside a field of the body is part of the body",
  instance: "write an interface of its fields, and keep an object of that shape",
  document: "write an interface of its fields, one of them an ID",
  list: "put an object between them: { cells: T[] }[] in place of T[][]",
  user: "keep the user's id, and look the account up where it is needed: auth.users.get(ctx, id)",
  raw: "make it a field of the request itself, or send its text",
  whole: "make it a field of the request itself",
  reply: "return it by itself, or send its body",
  status: "write the number where the reply or the error is made; one of a few is a union of them",
  mistake: "mend what TypeScript reports of it",
  constraint:
    'write string & MaxLength<200>, Int & Min<1> & Max<100>, string[] & MaxItems<20>, string & Pattern<"[a-z]+">',
  tuple: "write an array, or a tuple whose one rest element comes last",
};

/** What leads on from an answer that is none of an API. */
const answerHints: Readonly<Partial<Record<string, string>>> = {
  Redirection: "write a Page, which may redirect, or a Mount, which answers with a Response of its own",
  Response:
    "return the data, and reply(data, { status, headers }) for more than a body; a Mount answers with a Response",
};

const sentences: Readonly<Partial<Record<RefusalReason, (name: string) => string>>> = {
  circular: (name) => `${name} is defined as itself`,
  depth: () => "this type nests too deeply to be read",
  size: (name) => `${name} is too large to be read`,
  unresolved: (name) => `fw cannot tell what a value of this type is: ${shortened(name)}`,
  mistake: () => "TypeScript cannot resolve this type",
  "mixed-keys": () => "an object with both named fields and open-ended keys cannot be sent",
  request: (name) => `${name} cannot be a request, which is an object with named fields`,
  user: () => "a User can be sent in a response only: what is read back cannot tell its roles",
  status: (name) => `the status of this answer is not known: ${shortened(name)}`,
  raw: (name) => `a ${name} is the body of a request, and no part of a value`,
  whole: (name) => `a ${name} is the body of a request, and no part of a value`,
  undefined: () => "undefined inside a value cannot be sent as JSON",
  never: () => "no value has the type never",
  bound: (name) => `a ${name} inside another field is not read from there`,
  constraint: (name) => name,
  blob: () => "a Blob cannot be part of a JSON value",
};

export function typeProblem(reason: RefusalReason, name: string, at: Span): TypeProblem {
  const message = sentences[reason]?.(name) ?? `${shortened(name)} cannot be sent as JSON`;
  const hint = (reason === "global" || reason === "class" ? answerHints[name] : undefined) ?? hints[reason];
  return { at, reason, name: shortened(name), message, hint };
}

/** The same of a type that a request would have. */
export function received(refusal: TypeProblem): TypeProblem {
  const message = refusal.message.replace(/ cannot be sent( as JSON)?$/, " cannot be received$1");
  return { ...refusal, message, hint: receivedHints[refusal.reason] ?? refusal.hint };
}

const receivedHints: Readonly<Partial<Record<RefusalReason, string>>> = {
  global:
    "take the data that it is made of: a string, a number, or an object with fields; bytes come as Raw, those of a form in a Form<Blob>",
};

function shortened(name: string): string {
  return name.length > 120 ? `${name.slice(0, 117)}...` : name;
}
