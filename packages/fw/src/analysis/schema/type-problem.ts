import type { Span } from "../../model/diagnostic.ts";
import type { RefusalReason } from "./type.ts";

/** A type that cannot be sent, with a message for its author. */
export interface TypeProblem {
  readonly at: Span;
  readonly reason: RefusalReason;
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

const hints: Readonly<Record<RefusalReason, string>> = {
  any: "write its type; Json accepts any JSON value",
  unknown: "write its type; Json accepts any JSON value",
  object: "list its fields, or write Record<string, T>; Json accepts any JSON value",
  function: "send the data that the function works on instead",
  symbol: "write a string or a union of string literals",
  bigint: "write Int64 for a 64-bit integer, or string for a longer one",
  map: "write Record<string, T>, or an array of pairs",
  set: "write an array",
  class: "write an interface of its fields and send a plain object",
  global: "send the data you need from it: a string, a number, or an object with fields",
  never: "remove the field, or write the type of its values",
  circular: "add a part that does not refer to the type itself",
  "number-keys": "write Record<string, T>: JSON keys are strings",
  "symbol-keys": "use names as keys",
  "mixed-keys": "move the open-ended keys into a separate field: { name: string; extra: Record<string, T> }",
  undefined: "write null for a value that may be missing, or make the field optional",
  blob: "a file has to be the whole response, or a Form<Blob> field of a request",
  void: "write null, or remove it",
  depth: "write a type that nests less deeply, or Json",
  size: "write a smaller type, or Json",
  unresolved: "write the type out as an interface",
  request:
    "write an interface of the fields that the handler takes; put a list, a union or a single value into a field",
  bound: "mark a field of the request itself; nested fields are part of the body",
  instance: "write an interface of its fields and store a plain object",
  document: "write an interface of its fields, including an ID",
  list: "put an object between the lists: { cells: T[] }[] instead of T[][]",
  user: "use the user's id and look up the account where you need it: auth.users.get(ctx, id)",
  raw: "make it a field of the request itself, or send its content as a string",
  whole: "make it a field of the request itself",
  reply: "return the reply itself, or send only its body",
  status: "write the status as a number literal; several statuses are a union of literals",
  mistake: "fix the error that TypeScript reports",
  constraint:
    'write string & MaxLength<200>, Int & Min<1> & Max<100>, string[] & MaxItems<20>, string & Pattern<"[a-z]+">',
  tuple: "write an array, or a tuple whose rest element comes last",
};

/** Hints for types that an API cannot return. */
const answerHints: Readonly<Partial<Record<string, string>>> = {
  Redirection: "use a Page, which can redirect, or a Mount, which returns a Response",
  Response:
    "return the data, or reply(data, { status, headers }) to set a status or headers; only a Mount returns a Response",
};

/** The message for a type that TypeScript reports as wrong. */
export const mistakeMessage = "TypeScript cannot resolve this type";

const sentences: Readonly<Partial<Record<RefusalReason, (name: string) => string>>> = {
  circular: (name) => `${name} is defined as itself`,
  depth: () => "this type nests too deeply to be read",
  size: (name) => `${name} is too large to be read`,
  unresolved: (name) => `fw cannot resolve this type: ${shorten(name)}`,
  mistake: () => mistakeMessage,
  "mixed-keys": () => "an object with both named fields and open-ended keys cannot be sent",
  request: (name) => `${name} cannot be a request: a request is an object with named fields`,
  user: () => "a User can only be sent in a response: its roles cannot be read back",
  status: (name) => `the type does not say the status of this response: ${shorten(name)}`,
  raw: (name) => `a ${name} is a whole request body and cannot be part of a value`,
  whole: (name) => `a ${name} is a whole request body and cannot be part of a value`,
  undefined: () => "undefined inside a value cannot be sent as JSON",
  never: () => "no value has the type never",
  bound: (name) => `fw does not read a ${name} inside another field`,
  constraint: (name) => name,
  blob: () => "a Blob cannot be part of a JSON value",
};

export function typeProblem(reason: RefusalReason, name: string, at: Span): TypeProblem {
  const message = sentences[reason]?.(name) ?? `${shorten(name)} cannot be sent as JSON`;
  const hint = (reason === "global" || reason === "class" ? answerHints[name] : undefined) ?? hints[reason];
  return { at, reason, name: shorten(name), message, hint };
}

/** Rewords a problem for a type in a request. */
export function asReceived(refusal: TypeProblem): TypeProblem {
  const message = refusal.message.replace(/ cannot be sent( as JSON)?$/, " cannot be received$1");
  return { ...refusal, message, hint: receivedHints[refusal.reason] ?? refusal.hint };
}

const receivedHints: Readonly<Partial<Record<RefusalReason, string>>> = {
  global:
    "take the data it is derived from: a string, a number, or an object with fields; take bytes as Raw, or as Form<Blob> in a form",
};

function shorten(name: string): string {
  return name.length > 120 ? `${name.slice(0, 117)}...` : name;
}
