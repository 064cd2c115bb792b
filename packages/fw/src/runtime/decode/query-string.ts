import { queryParameters } from "../../lib/limits.ts";
import { decodedExactly } from "../../lib/percent.ts";
import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** Names and still encoded values in turn, in order of arrival. */
type QueryPairs = readonly string[];

const none: QueryPairs = [];

/** Splits a query string. Values are decoded when they are asked for: what nobody declared cannot be wrong. */
export function queryPairs(query: string): QueryPairs {
  if (query === "") return none;
  const pairs: string[] = [];
  for (let start = 0; start <= query.length;) {
    const end = endOf(query, start);
    if (end > start) addPair(pairs, query, start, end);
    start = end + 1;
  }
  return pairs;
}

/** The first value of a parameter; undefined when there is none. */
export function queryText(pairs: QueryPairs, name: string, where: string): string | undefined {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return decodedValue(pairs[i + 1] as string, where);
  return undefined;
}

/** Every value of a parameter in order of arrival; undefined when there is none. */
export function queryList(pairs: QueryPairs, name: string, where: string): string[] | undefined {
  let values: string[] | undefined;
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i] === name) (values ??= []).push(decodedValue(pairs[i + 1] as string, where));
  }
  return values;
}

function endOf(query: string, start: number): number {
  const end = query.indexOf("&", start);
  return end === -1 ? query.length : end;
}

function addPair(pairs: string[], query: string, start: number, end: number): void {
  if (pairs.length === 2 * queryParameters) throw new BadInput(messages.queryParameters(queryParameters));
  const pair = query.slice(start, end);
  const equals = pair.indexOf("=");
  pairs.push(decodedName(equals === -1 ? pair : pair.slice(0, equals)), equals === -1 ? "" : pair.slice(equals + 1));
}

function decodedName(text: string): string {
  return decoded(text) ?? text;
}

function decodedValue(text: string, where: string): string {
  const value = decoded(text);
  if (value === undefined) throw new BadInput(messages.percentEncoding(where));
  return value;
}

/** Undefined for a malformed escape or bytes that are not UTF-8. */
function decoded(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodedExactly(spaced) : spaced;
}
