import { isRecord } from "./record-in.ts";

/**
 * Converts a value of the contract for transfer between processes, to plain data that `lib/tagged-json.ts` can write.
 */
export interface Codec<T> {
  /** Copies only the members that the contract names. */
  readonly write: (value: T) => unknown;
  /** Throws a Malformed if the value is not valid; `at` is its location. */
  readonly read: (value: unknown, at: string) => T;
}

export type Reader<T> = Pick<Codec<T>, "read">;

/** A call that no correct client makes; the message says what is wrong. */
export class Malformed extends Error {}

export const text: Codec<string> = checked("a text", (value) => typeof value === "string");
export const number: Codec<number> = checked("a number", (value) => typeof value === "number");
export const finite: Codec<number> = checked("a finite number", Number.isFinite);
export const flag: Codec<boolean> = checked("true or false", (value) => typeof value === "boolean");
export const date: Codec<Date> = checked("a date", (value) => value instanceof Date && !Number.isNaN(value.getTime()));
/** An identifier that a client has generated. */
export const handle: Codec<string> = checked(
  "a handle",
  (value) => typeof value === "string" && /^[\w-]{1,100}$/.test(value),
);
export const nothing: Codec<void> = { write: () => undefined, read: () => undefined };

export function oneOf<const T extends string>(...values: readonly T[]): Codec<T> {
  return checked(`one of ${values.join(", ")}`, (value) => values.some((allowed) => allowed === value));
}

export function optional<T>({ write, read }: Codec<T>): Codec<T | undefined> {
  return {
    write: (value) => (value === undefined ? undefined : write(value)),
    read: (value, at) => (value === undefined ? undefined : read(value, at)),
  };
}

export function list<T>({ write, read }: Codec<T>) {
  return {
    write: (values: readonly T[]): unknown => values.map((value) => write(value)),
    read: (values: unknown, at: string): T[] => listAt(values, at).map((value, i) => read(value, `${at}[${i}]`)),
  };
}

/** An object with arbitrary names whose values have the same type. */
export function mapOf<T>({ write, read }: Codec<T>): Codec<Readonly<Record<string, T>>> {
  return {
    write: (value) => Object.fromEntries(Object.entries(value).map(([name, member]) => [name, write(member)])),
    read: (value, at) =>
      Object.fromEntries(
        Object.entries(objectAt(value, at)).map(([name, member]) => [name, read(member, `${at}.${name}`)]),
      ),
  };
}

/** An object with these members; undefined members are omitted. */
export function object<T extends object>(members: Members<T>): Codec<T> {
  const codecs = Object.entries<Codec<unknown>>(members as unknown as Record<string, Codec<unknown>>);
  return {
    write: (value) =>
      Object.fromEntries(codecs.map(([name, { write }]) => [name, write((value as Record<string, unknown>)[name])])),
    read(value, at) {
      const input = objectAt(value, at);
      const record: Record<string, unknown> = {};
      for (const [name, { read }] of codecs) {
        const member = read(Object.hasOwn(input, name) ? input[name] : undefined, `${at}.${name}`);
        if (member !== undefined) record[name] = member;
      }
      return record as T;
    },
  };
}

type Members<T, Full = Required<T>> = { readonly [Name in keyof Full]: Codec<Name extends keyof T ? T[Name] : never> };

/** Data that is validated and sent unchanged. */
export function checked<T>(what: string, isOne: (value: unknown) => boolean): Codec<T> {
  return {
    write: (value) => value,
    read: (value, at) => (isOne(value) ? (value as T) : malformed(at, what)),
  };
}

/** Writes the arguments of a call, without trailing ones that were omitted. */
export function writeAll(codecs: readonly Pick<Codec<never>, "write">[], given: readonly unknown[]): unknown[] {
  return given.map((value, i) => codecs[i]?.write(value as never));
}

/** Reads the arguments of a call from a list. */
export function readAll(codecs: readonly Reader<unknown>[], given: readonly unknown[]): unknown[] {
  if (given.length > codecs.length) throw new Malformed(`${given.length} arguments are more than ${codecs.length}`);
  return codecs.map(({ read }, i) => read(given[i], `argument ${i + 1}`));
}

export function listAt(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : malformed(at, "a list");
}

function objectAt(value: unknown, at: string): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : malformed(at, "an object");
}

function malformed(at: string, what: string): never {
  throw new Malformed(`${at} is not ${what}`);
}
