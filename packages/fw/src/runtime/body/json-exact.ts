import { jsonDepth } from "../../lib/limits.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";

/**
 * Parses JSON like `JSON.parse`, except that integers beyond the safe range become bigints if they have at most 20
 * characters, as all 64-bit integers do. Throws a SyntaxError for invalid JSON. Throws a 400 if text that may contain
 * such integers is nested too deeply, because it is parsed recursively.
 */
export function parseExact(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  const reader: Reader = { text, at: 0 };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) throw unexpected(reader);
  return value;
}

// 2^53 has 16 digits, so a number represents every shorter integer exactly.
const longInteger = /\d{16}/;

interface Reader {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader, depth: number): unknown {
  skipSpace(reader);
  switch (reader.text.charCodeAt(reader.at)) {
    case 0x7b:
      return readObject(reader, deeper(depth));
    case 0x5b:
      return readArray(reader, deeper(depth));
    case 0x22:
      return readString(reader);
    case 0x74:
      return readWord(reader, "true", true);
    case 0x66:
      return readWord(reader, "false", false);
    case 0x6e:
      return readWord(reader, "null", null);
    default:
      return readNumber(reader);
  }
}

function deeper(depth: number): number {
  if (depth === jsonDepth) throw new BadInput(messages.deepJSON);
  return depth + 1;
}

function readObject(reader: Reader, depth: number): unknown {
  const members: Record<string, unknown> = {};
  reader.at++;
  if (took(reader, 0x7d)) return members;
  do {
    skipSpace(reader);
    const name = readString(reader);
    expect(reader, 0x3a);
    const value = readValue(reader, depth);
    // Assigning to `__proto__` would set the prototype.
    if (name === "__proto__")
      Object.defineProperty(members, name, { value, configurable: true, enumerable: true, writable: true });
    else members[name] = value;
  } while (took(reader, 0x2c));
  expect(reader, 0x7d);
  return members;
}

function readArray(reader: Reader, depth: number): unknown {
  const items: unknown[] = [];
  reader.at++;
  if (took(reader, 0x5d)) return items;
  do items.push(readValue(reader, depth));
  while (took(reader, 0x2c));
  expect(reader, 0x5d);
  return items;
}

const control = /[^\u0020-\uffff]/;
const numberToken = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;

function readString(reader: Reader): string {
  const token = reader.text.slice(reader.at, endOfString(reader));
  reader.at += token.length;
  if (token.includes("\\")) return JSON.parse(token) as string;
  if (control.test(token)) throw unexpected(reader);
  return token.slice(1, -1);
}

function endOfString(reader: Reader): number {
  if (reader.text.charCodeAt(reader.at) !== 0x22) throw unexpected(reader);
  let quote = reader.at;
  do {
    quote = reader.text.indexOf('"', quote + 1);
    if (quote === -1) throw unexpected(reader);
  } while (isEscaped(reader.text, quote));
  return quote + 1;
}

/** True if the quote at index `quote` is escaped: an odd number of backslashes precedes it. */
function isEscaped(text: string, quote: number): boolean {
  let start = quote;
  while (text.charCodeAt(start - 1) === 0x5c) start--;
  return (quote - start) % 2 === 1;
}

function readNumber(reader: Reader): number | bigint {
  numberToken.lastIndex = reader.at;
  const match = numberToken.exec(reader.text);
  if (match === null) throw unexpected(reader);
  reader.at = numberToken.lastIndex;
  const value = Number(match[0]);
  const isInteger = match[1] === undefined && match[2] === undefined;
  return isInteger && !Number.isSafeInteger(value) && match[0].length <= 20 ? BigInt(match[0]) : value;
}

function readWord<T>(reader: Reader, word: string, value: T): T {
  if (!reader.text.startsWith(word, reader.at)) throw unexpected(reader);
  reader.at += word.length;
  return value;
}

function skipSpace(reader: Reader): void {
  for (;;) {
    const code = reader.text.charCodeAt(reader.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    reader.at++;
  }
}

function took(reader: Reader, code: number): boolean {
  skipSpace(reader);
  if (reader.text.charCodeAt(reader.at) !== code) return false;
  reader.at++;
  return true;
}

function expect(reader: Reader, code: number): void {
  if (!took(reader, code)) throw unexpected(reader);
}

function unexpected(reader: Reader): SyntaxError {
  return new SyntaxError(`unexpected JSON at position ${reader.at}`);
}
