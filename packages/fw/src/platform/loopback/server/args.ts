import type { Key, Order, Query } from "../../contract.ts";
import type { Claims } from "../../accounts.ts";
import { decodeFields } from "../../document.ts";
import type { Destination } from "../../messages.ts";
import type { Fields } from "../../values.ts";

/** A request that no client of the platform makes; the message names what is wrong with it. */
export class Malformed extends Error {}

/** Arguments as they came in, read by name. What is not of its type is Malformed. */
export class Args {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (!isObject(value)) throw new Malformed("arguments are no object");
    this.#values = value as Readonly<Record<string, unknown>>;
  }

  text(name: string): string {
    const value = this.#own(name);
    return typeof value === "string" ? value : wrong(name, "a text");
  }

  number(name: string): number {
    const value = this.#own(name);
    return typeof value === "number" ? value : wrong(name, "a number");
  }

  finite(name: string): number {
    const value = this.number(name);
    return Number.isFinite(value) ? value : wrong(name, "a finite number");
  }

  /** A name that a client made up. */
  handle(name: string): string {
    const value = this.text(name);
    return /^[\w-]{1,100}$/.test(value) ? value : wrong(name, "a handle");
  }

  flag(name: string): boolean {
    const value = this.#own(name);
    return typeof value === "boolean" ? value : wrong(name, "true or false");
  }

  date(name: string): Date {
    const value = this.#own(name);
    return value instanceof Date && !Number.isNaN(value.getTime()) ? value : wrong(name, "a date");
  }

  /** Fields, which are a text on their way. */
  fields(name: string): Fields {
    const fields = decoded(name, decodeFields, this.text(name));
    return isObject(fields) ? fields : wrong(name, "the text of an object");
  }

  /** Claims, which are the text of their JSON on their way. */
  claims(name: string): Claims {
    const claims = decoded(name, (text) => JSON.parse(text) as Claims, this.text(name));
    return isObject(claims) ? claims : wrong(name, "the text of an object");
  }

  args(name: string): Args {
    return new Args(this.#own(name));
  }

  list(name: string): readonly Args[] {
    return this.#items(name).map((value) => new Args(value));
  }

  texts(name: string): readonly string[] {
    return this.#items(name).map((value) => (typeof value === "string" ? value : wrong(name, "a list of texts")));
  }

  key(name: string): Key {
    return keyOf(this.args(name));
  }

  destination(name: string): Destination {
    const destination = this.args(name);
    return { kind: destination.oneOf("kind", ["queue", "topic", "event", "job"]), name: destination.text("name") };
  }

  /** A query with its limit, which counts leave out: it is 1 then. */
  query(name: string): Query {
    const query = this.args(name);
    return {
      kind: query.text("kind"),
      filters: query.list("filters").map(filterOf),
      orders: query.list("orders").map(orderOf),
      limit: query.optional("limit", (each) => query.number(each)) ?? 1,
      ...query.present("after", (each) => query.text(each)),
    };
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    return values.find((each) => each === this.#own(name)) ?? wrong(name, `one of ${values.join(", ")}`);
  }

  /** What `read` makes of an argument; undefined where it is absent. */
  optional<T>(name: string, read: (name: string) => T): T | undefined {
    return this.#own(name) === undefined ? undefined : read(name);
  }

  /** The argument as a property, or no property where it is absent. */
  present<N extends string, T>(name: N, read: (name: N) => T): { readonly [name in N]?: T } {
    return this.#own(name) === undefined ? {} : ({ [name]: read(name) } as { readonly [name in N]?: T });
  }

  /** A value of any type. */
  value(name: string): unknown {
    return this.#own(name);
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #items(name: string): readonly unknown[] {
    const value = this.#own(name);
    return Array.isArray(value) ? (value as readonly unknown[]) : wrong(name, "a list");
  }
}

export function keyOf(args: Args): Key {
  return { kind: args.text("kind"), id: args.text("id") };
}

function filterOf(args: Args): Query["filters"][number] {
  const op = args.oneOf("op", ["==", "in", "<", "<=", ">", ">="]);
  const value = args.value("value");
  if (op === "in" && !Array.isArray(value)) wrong("value", "a list");
  return { property: args.text("property"), op, value } as Query["filters"][number];
}

function orderOf(args: Args): Order {
  return { property: args.text("property"), direction: args.oneOf("direction", ["asc", "desc"]) };
}

function wrong(name: string, what: string): never {
  throw new Malformed(`${name} is not ${what}`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function decoded<T>(name: string, decode: (text: string) => T, text: string): T {
  try {
    return decode(text);
  } catch {
    return wrong(name, "readable");
  }
}
