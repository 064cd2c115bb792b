/** A type in TypeScript's notation, with mostly valid values. */
export type Made =
  | { readonly kind: "scalar"; readonly text: string; readonly values: readonly Value[] }
  | { readonly kind: "list"; readonly items: Made }
  | { readonly kind: "tuple"; readonly items: readonly Made[]; readonly optional: number; readonly rest?: Made }
  | { readonly kind: "record"; readonly values: Made }
  | { readonly kind: "object"; readonly fields: readonly MadeField[] }
  | { readonly kind: "union"; readonly members: readonly Made[] }
  /** The same type in another notation. Values are generated from `as`. */
  | { readonly kind: "written"; readonly text: string; readonly as: Made }
  | { readonly kind: "both"; readonly left: Made; readonly right: Made }
  /** A type with constraints, which its values may or may not satisfy. */
  | { readonly kind: "limited"; readonly text: string; readonly as: Made; readonly holds: (value: unknown) => boolean }
  /** The enclosing alias. */
  | { readonly kind: "self" };

interface MadeField {
  readonly name: string;
  readonly optional: boolean;
  readonly type: Made;
}

/** A value as JSON and as a TypeScript expression. */
export interface Value {
  readonly json: string;
  readonly code: string;
}

const plain = (value: string | number | boolean | null): Value => ({
  json: JSON.stringify(value),
  code: JSON.stringify(value),
});
const date: Value = { json: '"2024-01-01T00:00:00Z"', code: "new Date(0)" };
const long: Value = { json: "9007199254740993", code: "9007199254740993n" };
const scalar = (text: string, ...values: Value[]): Made => ({ kind: "scalar", text, values });
const scalars: readonly Made[] = [
  scalar("string", plain("a"), plain("zz")),
  scalar("number", plain(7), plain(1)),
  scalar("Int", plain(7), plain(2)),
  scalar("Int64", long, { json: "5", code: "5n" }),
  scalar("boolean", plain(true), plain(false)),
  scalar("Date", date),
  scalar("null", plain(null)),
  scalar('"a"', plain("a")),
  scalar('"b"', plain("b")),
  scalar("1", plain(1)),
  scalar("2", plain(2)),
  scalar("true", plain(true)),
  scalar("`x-${string}`", plain("x-"), plain("x-y")),
  scalar("`${number}px`", plain("3px")),
];
const limited = (limits: string, as: Made, holds: (value: never) => boolean): Made => ({
  kind: "limited",
  text: `${textOf(as)} & ${limits}`,
  as,
  holds: holds as (value: unknown) => boolean,
});
const texts = (limits: string, holds: (text: string) => boolean, ...values: string[]): Made =>
  limited(limits, scalar("string", ...values.map(plain)), holds);
const characters = (text: string): number => Array.from(text).length;
const limitedScalars: readonly Made[] = [
  texts("MinLength<2>", (text) => characters(text) >= 2, "", "a", "\u{1F600}", "ab", "\u{1F600}b"),
  texts("MinLength<1> & MaxLength<2>", (text) => [1, 2].includes(characters(text)), "", "a", "\u{1F600}b", "abc"),
  texts('Pattern<"[a-c]+-?\\\\d*">', (text) => /^[a-c]+-?\d*$/.test(text), "a", "bc-1", "a-", "d", "a b", "a\n"),
  texts("Email", (text) => text === "a@b.de", "a@b.de", "a@b", "a b@c.de", "a@b.de\n"),
  texts("Url", (text) => text === "https://a.de/x", "https://a.de/x", "ftp://a.de", "//a.de", "https://"),
  limited(
    "MaxLength<3>",
    scalar("`x-${string}`", plain("x-"), plain("x-y"), plain("x-yz")),
    (text: string) => text.length < 4,
  ),
  limited("Min<2>", scalar("Int", plain(1), plain(2), plain(-3)), (value: number) => value >= 2),
  limited(
    "Min<-1> & Max<5>",
    scalar("Int", plain(-2), plain(-1), plain(5), plain(6)),
    (value: number) => value >= -1 && value <= 5,
  ),
  limited("Max<1.5>", scalar("number", plain(1), plain(1.5), plain(1.6)), (value: number) => value <= 1.5),
];
const none = scalars[6] as Made;
const anyValues = scalars.flatMap((each) => (each.kind === "scalar" ? each.values : []));
const names = ["a", "b", "c", "kind", "odd-key"];

/** Pseudorandom numbers, reproducible from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % count;
  }

  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  times<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}

export function typeOf(chance: Chance, depth: number): Made {
  const inner = (): Made => typeOf(chance, depth - 1);
  const kind = depth <= 0 ? 0 : chance.below(16);
  if (kind <= 3) return chance.below(3) === 0 ? chance.one(limitedScalars) : chance.one(scalars);
  if (kind === 4) {
    const list: Made = { kind: "list", items: inner() };
    if (chance.below(2) === 0) return list;
    return limited("MinItems<1> & MaxItems<1>", list, (items: unknown[]) => items.length === 1);
  }
  if (kind === 5) {
    const items = chance.times(3, inner);
    const rest = chance.below(4) === 0 ? inner() : undefined;
    return { kind: "tuple", items, optional: chance.below(items.length + 1), ...(rest ? { rest } : {}) };
  }
  if (kind === 6) return { kind: "record", values: inner() };
  if (kind <= 9) return objectOf(chance, inner);
  if (kind <= 11) return { kind: "union", members: [inner(), inner(), ...chance.times(1, inner)] };
  if (kind >= 12 && kind <= 14) return chance.one(ways)(chance, inner);
  if (chance.below(2) === 0) return { kind: "self" };
  const [left, right] = [objectOf(chance, inner), objectOf(chance, inner)];
  // Intersects only objects: for a scalar and an object, fw accepts any such scalar, TypeScript mostly none.
  const shared = new Map(left.fields.map((field) => [field.name, field]));
  return { kind: "both", left, right: { ...right, fields: right.fields.map((each) => shared.get(each.name) ?? each) } };
}

type Way = (chance: Chance, inner: () => Made) => Made;

const field = (name: string, type: Made, optional = false): MadeField => ({ name, optional, type });
const fields = (...all: MadeField[]): Made & { readonly kind: "object" } => ({ kind: "object", fields: all });
const typeText = (text: string, as: Made): Made => ({ kind: "written", text, as });

/** Utility types, generics, classes and similar constructs around random types. */
const ways: readonly Way[] = [
  ...["Readonly", "Flat", "Awaited", "Same"].map((name): Way => (chance, inner) => {
    const made = objectOf(chance, inner);
    return typeText(`${name}<${textOf(made)}>`, made);
  }),
  (chance, inner) => {
    const made = objectOf(chance, inner);
    const optional = made.fields.map((each) => ({ ...each, optional: true }));
    return typeText(`Partial<${textOf(made)}>`, fields(...optional));
  },
  (chance, inner) => {
    const made = objectOf(chance, inner);
    const name = chance.one(names);
    const rest = made.fields.filter((each) => each.name !== name);
    // Avoids an object type without fields, which accepts anything but null.
    return rest.length === 0 ? made : typeText(`Omit<${textOf(made)}, "${name}">`, fields(...rest));
  },
  (chance, inner) => {
    const made = objectOf(chance, inner);
    const picked = made.fields.filter(() => chance.below(2) === 0);
    const keys = picked.map(({ name }) => `"${name}"`).join(" | ");
    return picked.length === 0 ? made : typeText(`Pick<${textOf(made)}, ${keys}>`, fields(...picked));
  },
  (chance, inner) => {
    const made = objectOf(chance, inner);
    const each = made.fields.map((field) => ({
      ...field,
      type: { kind: "union", members: [field.type, none] } as const,
    }));
    return typeText(`Nullable<${textOf(made)}>`, fields(...each));
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`Box<${textOf(made)}>`, fields(field("b", made), field("kind", scalars[7] as Made, true)));
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`Held<${textOf(made)}>`, fields(field("a", made), field("c", made, true)));
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(
      `Wider<${textOf(made)}>`,
      fields(field("b", made), field("kind", scalars[7] as Made, true), field("c", made)),
    );
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`Maybe<${textOf(made)}>`, { kind: "union", members: [made, none] });
  },
  (_chance, inner) => {
    const made = inner();
    const leaf = fields(field("a", made), field("b", { kind: "list", items: fields(field("a", made)) }, true));
    return typeText(`Tree<${textOf(made)}>`, leaf);
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`Nested<${textOf(made)}>`, {
      kind: "union",
      members: [made, { kind: "list", items: made }, { kind: "record", values: { kind: "list", items: made } }],
    });
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`Record<"a" | "c", ${textOf(made)}>`, fields(field("a", made), field("c", made)));
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(
      `Partial<Record<"a" | "c", ${textOf(made)}>>`,
      fields(field("a", made, true), field("c", made, true)),
    );
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(
      `{ [K in "a" | "kind"]: K extends "a" ? ${textOf(made)} : K }`,
      fields(field("a", made), field("kind", scalar('"kind"', plain("kind")))),
    );
  },
  () =>
    typeText("keyof Box<1>", { kind: "union", members: [scalar('"b"', plain("b")), scalar('"kind"', plain("kind"))] }),
  () => typeText("(typeof words)[number]", { kind: "union", members: [scalars[7] as Made, scalars[8] as Made] }),
  () => typeText("Size", { kind: "union", members: [scalar("0", plain(0)), scalar("1", plain(1))] }),
  () => typeText("`${(typeof words)[number]}-${number}`", scalar("", plain("a-1"), plain("b-2.5"))),
  () => typeText("`id-${bigint}`", scalar("", plain("id-7"))),
  () =>
    typeText("Uppercase<(typeof words)[number]>", {
      kind: "union",
      members: [scalar("", plain("A")), scalar("", plain("B"))],
    }),
  (chance, inner) => {
    const [one, other] = [inner(), objectOf(chance, inner)];
    return typeText(`Exclude<(${textOf(one)}) | string, string>`, { kind: "union", members: [one, other] });
  },
  (chance, inner) => {
    const [one, other] = [objectOf(chance, inner), objectOf(chance, inner)];
    return { kind: "union", members: [one, other, { kind: "list", items: { kind: "self" } }] };
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`NonNullable<(${textOf(made)}) | null>`, made);
  },
  (_chance, inner) => {
    const made = inner();
    return typeText(`readonly (${textOf(made)})[]`, { kind: "list", items: made });
  },
];

function objectOf(chance: Chance, inner: () => Made): Made & { readonly kind: "object" } {
  const fields = names
    .filter(() => chance.below(5) < 2)
    .map((name): MadeField => {
      if (chance.below(12) === 0) return { name, optional: true, type: scalar("never", plain(1)) };
      const type = name === "kind" && chance.below(2) === 0 ? chance.one(scalars.slice(7, 12)) : inner();
      return { name, optional: chance.below(3) === 0, type };
    });
  // TypeScript accepts anything but null for an object type without fields.
  return fields.length > 0 ? { kind: "object", fields } : objectOf(chance, inner);
}

export function textOf(type: Made): string {
  switch (type.kind) {
    case "scalar":
      return type.text;
    case "list":
      return `(${textOf(type.items)})[]`;
    case "tuple": {
      const items = type.items.map(
        (each, i) => `(${textOf(each)})${i >= type.items.length - type.optional ? "?" : ""}`,
      );
      return `[${[...items, ...(type.rest ? [`...(${textOf(type.rest)})[]`] : [])].join(", ")}]`;
    }
    case "record":
      return `{ [key: string]: ${textOf(type.values)} }`;
    case "object":
      return `{ ${type.fields.map(({ name, optional, type }) => `"${name}"${optional ? "?" : ""}: ${textOf(type)}`).join("; ")} }`;
    case "union":
      return type.members.map((each) => `(${textOf(each)})`).join(" | ");
    case "written":
    case "limited":
      return type.text;
    case "both":
      return `(${textOf(type.left)}) & (${textOf(type.right)})`;
    default:
      return "Self";
  }
}

const object = (members: readonly (readonly [string, Value])[]): Value => ({
  json: `{${members.map(([name, { json }]) => `"${name}":${json}`).join(",")}}`,
  code: `{ ${members.map(([name, { code }]) => `"${name}": ${code}`).join(", ")} }`,
});
const list = (items: readonly Value[]): Value => ({
  json: `[${items.map(({ json }) => json).join(",")}]`,
  code: `[${items.map(({ code }) => code).join(", ")}]`,
});

export function valueOf(chance: Chance, type: Made, root: Made, depth: number): Value {
  const of = (inner: Made): Value => valueOf(chance, inner, root, depth - 1);
  const isLeaf = chance.below(14) === 0 || depth <= 0;
  if (isLeaf && depth <= 0) return chance.one([...anyValues, list([]), object([])]);
  if (isLeaf) return chance.below(3) === 0 ? of(typeOf(chance, 2)) : chance.one(anyValues);
  switch (type.kind) {
    case "scalar":
      return chance.one(type.values);
    case "list":
      return list(chance.times(2, () => of(type.items)));
    case "tuple": {
      const kept = type.items.slice(0, type.items.length - chance.below(type.optional + 1));
      const more = type.rest && kept.length === type.items.length ? chance.times(2, () => of(type.rest as Made)) : [];
      return list([...kept.map(of), ...more]);
    }
    case "record":
      return object(names.filter(() => chance.below(4) === 0).map((name) => [name, of(type.values)] as const));
    case "object":
      return object(membersOf(chance, type.fields, of));
    case "union": {
      const objects = type.members.flatMap((each) => (each.kind === "object" ? [each.fields] : []));
      // Only a value with the fields of several members distinguishes a union from its first member.
      if (objects.length > 1 && chance.below(3) > 0) {
        const fields = new Map(objects.flat().map((field) => [field.name, field]));
        return object(membersOf(chance, [...fields.values()], of));
      }
      return of(chance.one(type.members));
    }
    case "written":
    case "limited":
      return of(type.as);
    case "both": {
      const sides = [type.left, type.right].flatMap((each) => (each.kind === "object" ? each.fields : []));
      return object(membersOf(chance, [...new Map(sides.map((field) => [field.name, field])).values()], of));
    }
    default:
      return of(root);
  }
}

function membersOf(
  chance: Chance,
  fields: readonly MadeField[],
  of: (type: Made) => Value,
): readonly (readonly [string, Value])[] {
  const isNever = ({ type }: MadeField): boolean => type.kind === "scalar" && type.text === "never";
  const present = fields.filter((field) => chance.below(10) >= (isNever(field) ? 9 : field.optional ? 4 : 1));
  return present.map((field) => [field.name, of(field.type)] as const);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/**
 * True if a JSON value satisfies a type's constraints in some or every interpretation that its shape permits. Only
 * TypeScript can tell which interpretation applies; this function compares the kinds of values.
 */
export function keeps(type: Made, value: unknown, ways: "some" | "every", root: Made = type, depth = 40): boolean {
  const of = (inner: Made, part: unknown = value): boolean => keeps(inner, part, ways, root, depth - 1);
  const isOther = ways === "every";
  if (depth === 0) return true;
  switch (type.kind) {
    case "scalar":
      return isOther || type.values.some(({ json }) => kindOf(JSON.parse(json)) === kindOf(value));
    case "limited":
      return of(type.as) && (!canHold(type.as, value) || type.holds(value));
    case "list":
      return Array.isArray(value) ? value.every((item) => of(type.items, item)) : isOther;
    case "tuple":
      if (!Array.isArray(value)) return isOther;
      return value.every((item, i) => of(type.items[i] ?? type.rest ?? scalar("never"), item));
    case "record":
      return kindOf(value) === "object"
        ? Object.values(value as object).every((each) => of(type.values, each))
        : isOther;
    case "object": {
      if (kindOf(value) !== "object") return isOther;
      const members = value as Readonly<Record<string, unknown>>;
      return type.fields.every((field) => !(field.name in members) || of(field.type, members[field.name]));
    }
    case "union":
      return isOther ? type.members.every((each) => of(each)) : type.members.some((each) => of(each));
    case "written":
      return of(type.as);
    case "both":
      return of(type.left) && of(type.right);
    default:
      return of(root);
  }
}

/** False if the value is of another kind, so that the limit does not apply. */
function canHold(type: Made, value: unknown): boolean {
  if (type.kind === "list") return Array.isArray(value);
  return type.kind !== "scalar" || type.values.some(({ json }) => kindOf(JSON.parse(json)) === kindOf(value));
}

/** Returns the type that contains only this value. */
export function exactly(value: unknown): string {
  if (value instanceof Date) return "Date";
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(exactly).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `"${name}": ${exactly(member)}`)
    .join("; ")} }`;
}

export const head = `import type { Email, Int, Int64, Max, MaxItems, MaxLength, Min, MinItems, MinLength, Pattern, Url } from "fw";
interface Box<T> { b: T; kind?: "a" }
type Maybe<T> = T | null;
type Same<T> = T;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type Nullable<T> = { [K in keyof T]: T[K] | null };
class Held<T> { a!: T; c?: T }
interface Wider<T> extends Box<T> { c: T }
interface Tree<T> { a: T; b?: Tree<T>[] }
type Nested<T> = T | Nested<T>[] | { [key: string]: Nested<T>[] };
const words = ["a", "b"] as const;
enum Size { Small, Large }
`;
