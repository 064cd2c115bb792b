import { StatusError } from "../../declare/errors.ts";
import { signInBytes } from "../../lib/limits.ts";
import { isUTF8, mediaType, readBody } from "../body/body.ts";
import { parseForm } from "../body/form.ts";
import { parseJSON } from "../body/json.ts";
import { usesAccounts } from "../capabilities.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { BadInput, valueIsNot } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/** The fields of sign-in and sign-out requests. Others are ignored. */
const signInNames = ["idToken", "dev_user", "role", "keep_roles", "email", "password", "next"] as const;

const accountNames = ["challenge", "code", "new_password", "name", "id", "_csrf"] as const;

const names: readonly Name[] = usesAccounts ? [...signInNames, ...accountNames] : signInNames;

type Name = (typeof signInNames)[number] | (typeof accountNames)[number];

/** The fields of a request to sign in or out, or of a form on the account pages. */
export interface Fields {
  /** The source of the fields: a JSON body, or a form. */
  readonly where: "body" | "form";
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads JSON or a URL-encoded form. A request without a body counts as an empty form. Rejects with a StatusError: 415
 * for other content types, 413 above the limit, 400 for a malformed body.
 */
export async function readFields({ exchange }: Request): Promise<Fields> {
  const type = exchange.header("content-type") ?? "";
  const where = bodySource(type, announcedBytes(exchange) === 0);
  if (where === undefined || !isUTF8(type)) throw new StatusError(415, messages.wantsFields);
  const bytes = await readBody(exchange, signInBytes);
  const values = where === "form" ? parseForm(bytes.toString("latin1")).values : jsonFields(parseJSON(bytes, false));
  return { where, values };
}

/** True if the request has a JSON body, which means that a program will read the response. */
export function hasJSONBody({ exchange }: Request): boolean {
  return mediaType(exchange.header("content-type")) === "application/json";
}

export function valueOf({ values }: Fields, name: Name): string | undefined {
  return values.get(name)?.[0];
}

/** Returns the first value of a field. Throws a BadInput if there is none. */
export function requiredValue(fields: Fields, name: Name): string {
  const value = valueOf(fields, name);
  if (value === undefined) throw new BadInput(messages.required(`${fields.where} ${name}`));
  return value;
}

function bodySource(contentType: string, empty: boolean): Fields["where"] | undefined {
  const type = mediaType(contentType);
  if (type === "application/json") return "body";
  return type === "application/x-www-form-urlencoded" || (type === "" && empty) ? "form" : undefined;
}

/** Reads the known members of a JSON object, each a string or a list of strings. Throws a BadInput. */
function jsonFields(body: unknown): Map<string, readonly string[]> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw valueIsNot("body", body, "object");
  const members = body as Readonly<Record<string, unknown>>;
  const present = names.filter((name) => Object.hasOwn(members, name));
  return new Map(present.map((name) => [name, requireStrings(members[name], `body ${name}`)]));
}

function requireStrings(value: unknown, where: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = list.find((each) => typeof each !== "string");
  if (wrong !== undefined) throw valueIsNot(where, wrong, "string");
  return list as string[];
}
