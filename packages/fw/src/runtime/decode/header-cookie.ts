import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** The headers and cookies of a request. Header names are in lower case. */
export interface RequestFields {
  /** Returns every value, in order of arrival. */
  header(name: string): readonly string[];
  /** Returns every element of every value. */
  headerList(name: string): readonly string[];
  cookie(name: string): readonly string[];
}

/**
 * Returns the value of a header; undefined if it is missing. Throws if there are several different values, because it
 * would be unclear which one applies.
 */
export function headerText(fields: RequestFields | undefined, name: string, where: string): string | undefined {
  return requireOne(fields?.header(name.toLowerCase()), where);
}

/** Returns every element of a header in order of arrival; undefined if it is missing. */
export function headerList(fields: RequestFields | undefined, name: string): string[] | undefined {
  const values = fields?.headerList(name.toLowerCase()) ?? [];
  return values.length === 0 ? undefined : [...values];
}

/**
 * Returns the value of a cookie; undefined if it is missing. Throws if there are several different values, because a
 * sibling site can add a cookie with the same name.
 */
export function cookieText(fields: RequestFields | undefined, name: string, where: string): string | undefined {
  return requireOne(fields?.cookie(name), where);
}

function requireOne(values: readonly string[] = [], where: string): string | undefined {
  const [first] = values;
  if (values.some((each) => each !== first)) throw new BadInput(messages.several(where));
  return first;
}
