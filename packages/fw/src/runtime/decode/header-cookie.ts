import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** The headers and cookies of a request. Names of headers are in lower case. */
export interface RequestFields {
  /** Every value, in order of arrival. */
  header(name: string): readonly string[];
  /** Every element of every value. */
  headerList(name: string): readonly string[];
  cookie(name: string): readonly string[];
}

/** The value of a header; undefined where there is none. Of several that differ nobody could say which one counts. */
export function headerText(fields: RequestFields | undefined, name: string, where: string): string | undefined {
  return only(fields?.header(name.toLowerCase()), where);
}

/** Every element of a header in order of arrival; undefined where there is none. */
export function headerList(fields: RequestFields | undefined, name: string): string[] | undefined {
  const values = fields?.headerList(name.toLowerCase()) ?? [];
  return values.length === 0 ? undefined : [...values];
}

/** The value of a cookie; undefined where there is none. Another site of the domain can add one of the same name. */
export function cookieText(fields: RequestFields | undefined, name: string, where: string): string | undefined {
  return only(fields?.cookie(name), where);
}

function only(values: readonly string[] = [], where: string): string | undefined {
  const [first] = values;
  if (values.some((each) => each !== first)) throw new BadInput(messages.several(where));
  return first;
}
