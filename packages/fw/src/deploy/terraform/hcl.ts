/** A value that Terraform computes: `var.images["web"]`. */
export class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A map, written as `{ … }` after an equals sign. Other objects are blocks. */
export class MapValue {
  readonly entries: Readonly<Record<string, Scalar>>;

  constructor(entries: Readonly<Record<string, Scalar>>) {
    this.entries = entries;
  }
}

type Scalar = string | number | boolean | Expression;

/** An attribute, a block, or several blocks with one name. Undefined values are omitted. */
export type BodyValue = Scalar | readonly Scalar[] | MapValue | Body | readonly Body[] | undefined;

export interface Body {
  readonly [name: string]: BodyValue;
}

/** Writes a block with its labels: `resource "google_pubsub_topic" "orders" { … }`. */
export function blockText(words: readonly string[], body: Body, textOf: (value: string) => string): string {
  return new Writer(textOf).block([words[0] ?? "", ...words.slice(1).map((word) => quoted(word))].join(" "), body, "");
}

export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[$%]\{/g, (opening) => `${opening[0]}${opening}`);
}

/** Formats blocks like `terraform fmt`. */
class Writer {
  /** Formats a string, with quotes. */
  readonly #textOf: (value: string) => string;

  constructor(textOf: (value: string) => string) {
    this.#textOf = textOf;
  }

  block(head: string, body: Body, indent: string): string {
    const inner = `${indent}  `;
    const lines: (readonly [name: string, text: string])[] = [];
    const parts: string[] = [];
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      if (isBlocks(value)) parts.push(...value.map((block) => this.block(`${inner}${name}`, block, inner)));
      else if (isBlock(value)) parts.push(this.block(`${inner}${name}`, value, inner));
      else if (value instanceof MapValue) parts.push(this.#map(name, value, inner));
      else if (isLong(value)) parts.push(this.#list(name, value, inner));
      else lines.push([name, this.#scalarOrList(value)]);
    }
    const first = lines.length === 0 ? [] : [aligned(lines, inner)];
    const all = [...first, ...parts];
    return all.length === 0 ? `${head} {}` : `${head} {\n${all.join("\n\n")}\n${indent}}`;
  }

  #map(name: string, { entries }: MapValue, indent: string): string {
    const lines = Object.entries(entries).map(([key, value]): [string, string] => [
      /^[A-Za-z_][\w-]*$/.test(key) ? key : quoted(key),
      this.#scalar(value),
    ]);
    return `${indent}${name} = {\n${aligned(lines, `${indent}  `)}\n${indent}}`;
  }

  #list(name: string, values: readonly Scalar[], indent: string): string {
    const lines = values.map((value) => `${indent}  ${this.#scalar(value)},`);
    return `${indent}${name} = [\n${lines.join("\n")}\n${indent}]`;
  }

  #scalarOrList(value: Scalar | readonly Scalar[]): string {
    if (!isList(value)) return this.#scalar(value);
    return `[${value.map((item) => this.#scalar(item)).join(", ")}]`;
  }

  #scalar(value: Scalar): string {
    if (value instanceof Expression) return value.text;
    return typeof value === "string" ? this.#textOf(value) : String(value);
  }
}

function aligned(lines: readonly (readonly [name: string, text: string])[], indent: string): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${indent}${name.padEnd(width)} = ${text}`).join("\n");
}

function isList(value: BodyValue): value is readonly Scalar[] {
  return Array.isArray(value) && !isBlocks(value);
}

/** True for a list with one line per value. */
function isLong(value: BodyValue): value is readonly Scalar[] {
  return isList(value) && value.length > 1;
}

function isBlocks(value: BodyValue): value is readonly Body[] {
  return Array.isArray(value) && value.length > 0 && value.every((block) => isBlock(block as BodyValue));
}

function isBlock(value: BodyValue): value is Body {
  const isObject = typeof value === "object" && !Array.isArray(value);
  return isObject && !(value instanceof Expression) && !(value instanceof MapValue);
}
