import { decodedExactly } from "../../lib/percent.ts";
import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** Limit: parameters of a query string. */
const queryParameters = 1000;

/** Alternating names and encoded values, in order of arrival. */
type QueryPairs = readonly string[];

const none: QueryPairs = [];

/** Splits a query string. Values are decoded only when they are read, so undeclared parameters may be malformed. */
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

/** Returns the first value of a parameter; undefined if it is missing. */
export function queryText(pairs: QueryPairs, name: string, where: string): string | undefined {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return decodeValue(pairs[i + 1] as string, where);
  return undefined;
}

/** Returns every value of a parameter in order of arrival; undefined if it is missing. */
export function queryList(pairs: QueryPairs, name: string, where: string): string[] | undefined {
  let values: string[] | undefined;
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i] === name) (values ??= []).push(decodeValue(pairs[i + 1] as string, where));
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
  pairs.push(decodeName(equals === -1 ? pair : pair.slice(0, equals)), equals === -1 ? "" : pair.slice(equals + 1));
}

function decodeName(text: string): string {
  return decodeText(text) ?? text;
}

function decodeValue(text: string, where: string): string {
  const value = decodeText(text);
  if (value === undefined) throw new BadInput(messages.percentEncoding(where));
  return value;
}

/** Decodes a name or value. Returns undefined for a malformed escape or bytes that are not UTF-8. */
function decodeText(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodedExactly(spaced) : spaced;
}
