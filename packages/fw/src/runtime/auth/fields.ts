import { StatusError } from "../../declare/errors.ts";
import { signInBytes } from "../../lib/limits.ts";
import { isUTF8, mediaType, readBody } from "../body/body.ts";
import { parseForm } from "../body/form.ts";
import { parseJSON } from "../body/json.ts";
import { announcedBytes } from "../exchange/exchange.ts";
import { BadInput, valueIsNot } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/** The fields that requests to sign in or out have; others are ignored. */
const names = ["idToken", "dev_user", "role", "keep_roles", "email", "password", "next"] as const;

type Name = (typeof names)[number];

/** What a request to sign in or out says. */
export interface Fields {
  /** Where the fields were: a JSON body, or a form. */
  readonly where: "body" | "form";
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads JSON or a urlencoded form; a request without a body is a form without fields. Rejects with a StatusError: 415 for
 * another type, 413 beyond the limit, 400 for what is malformed.
 */
export async function readFields({ exchange }: Request): Promise<Fields> {
  const type = exchange.header("content-type") ?? "";
  const where = bodyOf(type, announcedBytes(exchange) === 0);
  if (where === undefined || !isUTF8(type)) throw new StatusError(415, messages.wantsFields);
  const bytes = await readBody(exchange, signInBytes);
  const values = where === "form" ? parseForm(bytes.toString("latin1")).values : fieldsOf(parseJSON(bytes, false));
  return { where, values };
}

/** True where the request brings JSON, so that it is a program that reads the answer. */
export function bringsJSON({ exchange }: Request): boolean {
  return mediaType(exchange.header("content-type")) === "application/json";
}

/** The first value of a field. */
export function valueOf({ values }: Fields, name: Name): string | undefined {
  return values.get(name)?.[0];
}

/** The first value of a field. Throws a BadInput where there is none. */
export function requiredValue(fields: Fields, name: Name): string {
  const value = valueOf(fields, name);
  if (value === undefined) throw new BadInput(messages.required(`${fields.where} ${name}`));
  return value;
}

function bodyOf(contentType: string, empty: boolean): Fields["where"] | undefined {
  const type = mediaType(contentType);
  if (type === "application/json") return "body";
  return type === "application/x-www-form-urlencoded" || (type === "" && empty) ? "form" : undefined;
}

/** The known members of a JSON object, each a string or a list of strings. Throws a BadInput. */
function fieldsOf(body: unknown): Map<string, readonly string[]> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw valueIsNot("body", body, "object");
  const given = body as Readonly<Record<string, unknown>>;
  const present = names.filter((name) => Object.hasOwn(given, name));
  return new Map(present.map((name) => [name, stringsOf(given[name], `body ${name}`)]));
}

function stringsOf(value: unknown, where: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = list.find((each) => typeof each !== "string");
  if (wrong !== undefined) throw valueIsNot(where, wrong, "string");
  return list as string[];
}
