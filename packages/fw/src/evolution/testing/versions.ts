import * as fc from "fast-check";
import type { Evolution } from "../../model/evolution.ts";
import type { Field, Schema } from "../../model/schema.ts";
import type { RecordedSchema } from "../recorded.ts";

/** The type of a version's values, with its rules for older values. */
export interface Version {
  readonly schema: ObjectSchema;
  /** The values that rules set, by field. */
  readonly upgrade: Readonly<Record<string, unknown>>;
  readonly renamed: Readonly<Record<string, string>>;
}

export type ObjectSchema = Extract<Schema, { kind: "object" }>;

const names = ["a", "b", "c", "d"];

const scalars: readonly Schema[] = [
  { kind: "string" },
  { kind: "number" },
  { kind: "int" },
  { kind: "int64" },
  { kind: "boolean" },
  { kind: "null" },
  { kind: "date" },
  { kind: "json" },
  { kind: "literal", value: "on" },
  { kind: "literal", value: "off" },
  { kind: "literal", value: 1 },
  { kind: "literal", value: true },
];

const scalar = fc.constantFrom(...scalars);

/** Realistic types, nested two levels deep. */
const { type } = fc.letrec<{ type: Schema; field: Field; tagged: Schema }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 2 },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.uniqueArray(scalar, { minLength: 2, maxLength: 3 }).map(unionOf), weight: 2 },
    { arbitrary: tie("type").map((items): Schema => ({ kind: "array", items })), weight: 1 },
    { arbitrary: tie("type").map((values): Schema => ({ kind: "record", values })), weight: 1 },
    {
      arbitrary: fc
        .tuple(fc.array(tie("type"), { minLength: 1, maxLength: 2 }), fc.boolean())
        .map(([items, isOpen]): Schema => {
          const rest = isOpen ? { rest: items[0] as Schema } : {};
          return { kind: "tuple", items: items.map((schema) => ({ schema, optional: false })), ...rest };
        }),
      weight: 1,
    },
    { arbitrary: fields(tie("field"), 1, 2), weight: 1 },
    { arbitrary: tie("tagged"), weight: 1 },
    { arbitrary: fc.tuple(fields(tie("field"), 1, 2), fields(tie("field"), 1, 2)).map(unionOf), weight: 1 },
  ),
  field: fc.record({ name: fc.constantFrom(...names), schema: tie("type"), optional: fc.boolean() }),
  tagged: fc.tuple(fields(tie("field"), 0, 1), fields(tie("field"), 0, 1)).map(([one, other]): Schema => {
    const variant = (value: string, { fields: own }: ObjectSchema): Schema => ({
      kind: "object",
      fields: [{ name: "kind", schema: { kind: "literal", value }, optional: false }, ...own],
    });
    return { kind: "union", variants: [variant("one", one), variant("two", other)], tag: "kind" };
  }),
}));

function fields(field: fc.Arbitrary<Field>, minLength: number, maxLength: number): fc.Arbitrary<ObjectSchema> {
  return fc
    .uniqueArray(field, { minLength, maxLength, selector: ({ name }) => name })
    .map((own): ObjectSchema => ({ kind: "object", fields: own }));
}

function unionOf(variants: readonly Schema[]): Schema {
  return { kind: "union", variants };
}

const field: fc.Arbitrary<Field> = fc.record({
  name: fc.constantFrom(...names),
  schema: type,
  optional: fc.boolean(),
});

/** Two versions; the second is an edit of the first. */
export const versions: fc.Arbitrary<readonly [Version, Version]> = fields(field, 1, 3).chain((before) =>
  fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map((edits) => edits.reduce((version, change) => change(version), versionOf(before)))
    .chain((after) => withRules(before, after).map((ruled) => [versionOf(before), ruled] as const)),
);

function versionOf(schema: ObjectSchema): Version {
  return { schema, upgrade: {}, renamed: {} };
}

/** Changes one field in a realistic way. */
const edit: fc.Arbitrary<(version: Version) => Version> = fc
  .tuple(fc.constantFrom("add", "drop", "retype", "optional", "widen", "narrow", "rename"), field, fc.nat())
  .map(([how, other, at]) => ({ schema: { fields: own }, ...rules }: Version): Version => {
    const position = own.length === 0 ? 0 : at % own.length;
    const target = own[position];
    const replaced = (next: readonly Field[]): Version => ({
      ...rules,
      schema: { kind: "object", fields: [...own.slice(0, position), ...next, ...own.slice(position + 1)] },
    });
    const isNew = !own.some(({ name }) => name === other.name);
    if (target === undefined || how === "add")
      return isNew
        ? { ...rules, schema: { kind: "object", fields: [...own, other] } }
        : replaced(target ? [target] : []);
    switch (how) {
      case "drop":
        return replaced([]);
      case "retype":
        return replaced([{ ...target, schema: other.schema }]);
      case "optional":
        return replaced([{ ...target, optional: !target.optional }]);
      case "widen":
        return replaced([{ ...target, schema: unionOf([target.schema, other.schema]) }]);
      case "narrow":
        return replaced([{ ...target, schema: narrowed(target.schema) }]);
      default:
        return isNew
          ? { ...replaced([{ ...target, name: other.name }]), renamed: { ...rules.renamed, [other.name]: target.name } }
          : replaced([target]);
    }
  });

function narrowed(schema: Schema): Schema {
  return schema.kind === "union" ? (schema.variants[0] ?? schema) : schema;
}

/** Adds rules for some fields of the new version, and removes some of its renames. */
function withRules(before: ObjectSchema, after: Version): fc.Arbitrary<Version> {
  const values = after.schema.fields.map(({ name, schema }) =>
    fc.option(valueOf(schema), { nil: undefined }).map((value) => [name, value] as const),
  );
  return fc.tuple(fc.tuple(...values), fc.boolean()).map(([upgrades, declaresNames]) => ({
    ...after,
    upgrade: Object.fromEntries(upgrades.filter(([, value]) => value !== undefined)),
    renamed: declaresNames
      ? Object.fromEntries(
          Object.entries(after.renamed).filter(
            ([name, earlier]) =>
              after.schema.fields.some((own) => own.name === name) &&
              before.fields.some((own) => own.name === earlier) &&
              !after.schema.fields.some((own) => own.name === earlier),
          ),
        )
      : {},
  }));
}

/** Generates a random value of a type, as code sees it. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case "string":
      return fc.constantFrom("on", "off", "x", "2026-01-02T03:04:05.000Z");
    case "number":
      return fc.constantFrom(0, 1, 1.5);
    case "int":
      return fc.constantFrom(0, 1, 7);
    case "int64":
      return fc.constantFrom(1n, 9007199254740993n);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "date":
      return fc.constant(new Date("2026-01-02T03:04:05.000Z"));
    case "json":
      return fc.constantFrom<unknown>("x", 1, null, true, [1], { a: "x" });
    case "literal":
      return fc.constant(schema.value);
    case "array":
      return fc.array(valueOf(schema.items), { maxLength: 2 });
    case "tuple": {
      const rest = schema.rest === undefined ? fc.constant([]) : fc.array(valueOf(schema.rest), { maxLength: 1 });
      const items = fc.tuple(...schema.items.map((item) => valueOf(item.schema)));
      return fc.tuple(items, rest).map(([own, more]) => [...own, ...more]);
    }
    case "record":
      return fc
        .dictionary(fc.constantFrom("k", "a"), valueOf(schema.values), { maxKeys: 2 })
        .map((own) => ({ ...own }));
    case "object": {
      const members = schema.fields.map(({ name, schema: own, optional }) => {
        const value = valueOf(own).map((each) => [[name, each]] as [string, unknown][]);
        return optional ? fc.oneof(value, fc.constant<[string, unknown][]>([])) : value;
      });
      return fc.tuple(...members).map((entries) => Object.fromEntries(entries.flat()));
    }
    case "union":
      return fc.oneof(...schema.variants.map(valueOf));
    default:
      throw new Error(`no value of ${schema.kind} is drawn`);
  }
}

/** True if a value has the TypeScript type of a schema. Independent of fw's own decoders, and as simple as possible. */
export function isOf(schema: Schema, value: unknown): boolean {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
  switch (schema.kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === schema.kind;
    case "int":
      return typeof value === "number";
    case "int64":
      return typeof value === "bigint";
    case "null":
      return value === null;
    case "date":
      return value instanceof Date;
    case "literal":
      return value === schema.value;
    case "json":
      if (Array.isArray(value)) return value.every((each) => isOf(schema, each));
      if (isObject) return Object.values(value).every((each) => isOf(schema, each));
      return value === null || ["string", "number", "boolean"].includes(typeof value);
    case "array":
      return Array.isArray(value) && value.every((each) => isOf(schema.items, each));
    case "tuple": {
      if (!Array.isArray(value) || value.length < schema.items.length) return false;
      const { rest } = schema;
      if (rest === undefined && value.length > schema.items.length) return false;
      return value.every((each, i) => isOf(schema.items[i]?.schema ?? (rest as Schema), each));
    }
    case "record":
      return isObject && Object.values(value).every((each) => isOf(schema.values, each));
    case "object":
      return (
        isObject &&
        schema.fields.every(({ name, schema: own, optional }) => {
          const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
          return member === undefined ? optional : isOf(own, member);
        })
      );
    case "union":
      return schema.variants.some((variant) => isOf(variant, value));
    default:
      return false;
  }
}

/** Returns the rules of a version in the form of the model. */
export function rulesOf({ upgrade, renamed }: Version): Evolution {
  return { renamed, upgraded: Object.keys(upgrade).toSorted() };
}

/** The schema of an application that declares nothing. */
export const emptySchema: RecordedSchema = {
  version: 1,
  app: "shop",
  entities: {},
  messages: {},
  buckets: [],
  session: { roles: [], providers: [] },
  endpoints: {},
  types: {},
};
