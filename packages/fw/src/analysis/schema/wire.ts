import { bindings } from "../../model/bindings.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { Field, Schema, TupleItem } from "../../model/schema.ts";
import {
  attempt,
  openRun,
  placeholder,
  refuse,
  type Attempt,
  type Frame,
  type Pass,
  type Run,
  type Wire,
  type WireType,
} from "./pass.ts";
import { simplified } from "./simplified.ts";
import { docOf } from "./property-doc.ts";
import { limitsWith, type Constrained, type Constraint } from "../../model/constraints.ts";
import {
  constraintsOf,
  isUndefined,
  open,
  withoutUndefined,
  type IndexSignature,
  type NamedType,
  type ObjectType,
  type OpenedType,
  type Place,
  type Property,
  type Type,
} from "./type.ts";

/** Nesting past which no one reads a type. */
const deepest = 60;
/** Parts past which a type is refused. */
const mostParts = 20_000;

/** The schema of a type, every unsendable part refused at its field. */
export function toSchema(wire: Wire, type: () => Type, place: Place): Attempt<Schema> {
  const run = openRun(wire);
  const pass: Pass = { run, depth: 0, place };
  const value = attempt(pass, () => convert(pass, type()));
  return { value, refusals: run.refusals, questions: [...run.questions.values()] };
}

function convert(pass: Pass, type: Type): Schema {
  const { run } = pass;
  run.parts += 1;
  if (run.parts > mostParts) return run.parts === mostParts + 1 ? refuse(pass, "size", "this type") : placeholder;
  if (pass.depth > deepest) return refuse(pass, "depth", "this type");
  if (type.kind === "marked") return limited(pass, convert(pass, type.base), constraintsOf(type));
  return type.kind === "named" ? convertNamed(pass, type) : convertOpened(deeper(pass), type);
}

/** A schema with what its constraints say, which it has to be able to carry. */
function limited(pass: Pass, schema: Schema, constraints: readonly Constraint[]): Schema {
  if (constraints.length === 0) return schema;
  const found = limitsWith(constraints, constrained[schema.kind]);
  if ("problem" in found) return refuse(pass, "constraint", found.problem);
  return { ...schema, limits: found.limits } as Schema;
}

const constrained: Readonly<Partial<Record<Schema["kind"], Constrained>>> = {
  string: "text",
  number: "number",
  int: "number",
  array: "list",
};

function deeper({ run, depth, place }: Pass): Pass {
  return { run, depth: depth + 1, place };
}

function convertOpened(pass: Pass, type: OpenedType): Schema {
  switch (type.kind) {
    case "primitive":
      return primitive(pass, type.name);
    case "known":
      return known(pass, type.name);
    case "literal":
      return type;
    case "array":
      // What `() => []` answers: a list that is always empty.
      if (open(type.items).kind === "never") return { kind: "tuple", items: [] };
      return { kind: "array", items: attempt(pass, () => element(pass, type.items)) };
    case "tuple":
      return tuple(pass, type);
    case "object":
      return object(pass, type);
    case "union":
      return union(pass, type);
    case "pattern":
      return { kind: "string", pattern: type.pattern };
    case "bound":
      refuse(pass, "bound", bindings[type.source].marker);
      return convert(pass, type.base);
    case "never":
      return refuse(pass, "never", "never");
    case "refused":
      if (type.whole !== undefined) {
        refuse(pass, type.reason, type.name);
        return convert(pass, type.whole);
      }
      return refuse(pass, type.reason, type.name);
    default:
      return assertNever(type);
  }
}

function primitive(pass: Pass, name: (Type & { kind: "primitive" })["name"]): Schema {
  if (name === "bigint") return refuse(pass, "bigint", "bigint");
  if (name === "undefined") return refuse(pass, "undefined", "undefined");
  return name === "void" ? refuse(pass, "void", "void") : scalars[name];
}

/** Most parts of types are one of these: each is the same object everywhere. */
const scalars = {
  string: { kind: "string" },
  number: { kind: "number" },
  boolean: { kind: "boolean" },
  null: { kind: "null" },
  Int: { kind: "int" },
  Int64: { kind: "int64" },
  Date: { kind: "date" },
  Json: { kind: "json" },
} as const satisfies Readonly<Record<string, Schema>>;

function known(pass: Pass, name: (Type & { kind: "known" })["name"]): Schema {
  return name === "Blob" ? refuse(pass, "blob", "Blob") : scalars[name];
}

function element(pass: Pass, type: Type): Schema {
  return withoutUndefined(type).removed ? refuse(pass, "undefined", "undefined") : convert(pass, type);
}

function tuple(pass: Pass, type: Type & { kind: "tuple" }): Schema {
  const items: TupleItem[] = [];
  for (const [index, item] of type.items.entries()) {
    if (item.rest && index < type.items.length - 1)
      return refuse(pass, "tuple", "a tuple with a rest element before its end");
    if (item.rest) return { kind: "tuple", items, rest: convert(pass, item.type) };
    items.push({
      schema: convert(pass, item.optional ? withoutUndefined(item.type).type : item.type),
      optional: item.optional,
    });
  }
  return { kind: "tuple", items };
}

function object(pass: Pass, type: ObjectType): Schema {
  if (type.index && type.properties.size > 0) return refuse(pass, "mixed-keys", "an object");
  if (type.index) return record(pass, type.index);
  if (type.className !== undefined) refuse(pass, "instance", type.className);
  const fields: Field[] = [];
  for (const property of type.properties.values()) {
    const made = field(pass, property);
    if (made) fields.push(made);
  }
  return { kind: "object", fields };
}

function record(pass: Pass, { key, value }: IndexSignature): Schema {
  const values = attempt(pass, () => recordValues(pass, value));
  const constraints = constraintsOf(key);
  if (constraints.length === 0) return { kind: "record", values };
  const keys = limitsWith(constraints, "text");
  return "problem" in keys ? refuse(pass, "constraint", keys.problem) : { kind: "record", values, keys: keys.limits };
}

/** No key has a value in `Record<string, never>`, which is how `{}` is written where that stands for anything. */
function recordValues(pass: Pass, values: Type): Schema {
  const { type } = withoutUndefined(values);
  return open(type).kind === "never" ? { kind: "never" } : convert(pass, type);
}

function field(pass: Pass, property: Property): Field | undefined {
  const { run, depth } = pass;
  const inner: Pass = { run, depth, place: isOwn(property.place) ? property.place : pass.place };
  const { name } = property;
  let { optional } = property;
  let isLeftOut = false;
  const schema = attempt(inner, () => {
    const { type, removed } = withoutUndefined(property.type());
    optional ||= removed;
    // `tag?: never` says that the field is absent.
    if (optional && open(type).kind === "never") return { kind: "never" };
    isLeftOut = isMethodOfUser(type);
    return convert(inner, type);
  });
  if (isLeftOut) return undefined;
  const doc = docOf(property);
  return doc === undefined ? { name, schema, optional } : { name, schema, optional, doc };
}

function isMethodOfUser(type: Type): boolean {
  return type.kind === "refused" && type.reason === "user";
}

function isOwn(place: Place | undefined): place is Place {
  return place !== undefined && !place.module.path.startsWith("../");
}

function union(pass: Pass, type: Type & { kind: "union" }): Schema {
  const variants = simplified(type.members.flatMap((member) => variantsOf(pass, member)));
  if (variants.length === 0) return refuse(pass, "never", "never");
  const [only, ...more] = variants;
  return only && more.length === 0 ? only : { kind: "union", variants };
}

/** A union with a name is read under it, so that recursion meets itself; what does not contain itself is flattened. */
function variantsOf(pass: Pass, member: Type): readonly Schema[] {
  if (member.kind === "union") return member.members.flatMap((each) => variantsOf(pass, each));
  if (member.kind === "marked") {
    const constraints = constraintsOf(member);
    return variantsOf(pass, member.base).map((each) => attempt(pass, () => limited(pass, each, constraints)));
  }
  let isUnion = false;
  const schema = attempt(pass, () => {
    const opened = open(member);
    isUnion = opened.kind === "union";
    if (opened.kind === "never") return { kind: "union", variants: [] };
    return isUndefined(opened) ? refuse(pass, "undefined", "undefined") : convert(pass, member);
  });
  if (schema.kind === "union") return schema.variants;
  const { wire, stack } = pass.run;
  if (schema.kind !== "ref" || !isUnion || stack.some(({ id }) => id === schema.id)) return [schema];
  const behind = wire.table.get(schema.id);
  return behind?.kind === "union" && !wire.recursive.has(schema.id) ? behind.variants : [schema];
}

function convertNamed(pass: Pass, type: NamedType): Schema {
  const { run } = pass;
  const open = run.stack.findIndex((frame) => frame.id === type.id);
  if (open !== -1) {
    // Keep a type without a name only if recursion meets that very type.
    for (const [index, frame] of run.stack.slice(open).entries()) frame.recursive ||= index === 0 || frame.hasName;
    return { kind: "ref", id: type.id };
  }
  const known = run.wire.named.get(type.id);
  if (known) return recall(run, known);
  const before = run.refusals.length;
  const { asked } = run;
  const frame: Frame = { id: type.id, hasName: type.name !== "", recursive: false };
  run.stack.push(frame);
  const { value: made, paths } = run.wire.reading.touched.during(() => target(deeper(pass), type));
  run.stack.pop();
  const isItself = made.kind === "ref" && made.id === type.id;
  const value = isItself ? refuse(pass, "circular", type.name) : made;
  if (frame.recursive) run.wire.recursive.add(type.id);
  const schema = frame.recursive || deservesName(type, value) ? keep(run.wire, type.id, value) : value;
  if (run.asked === asked)
    run.wire.named.set(type.id, { schema, refusals: run.refusals.slice(before), touched: paths });
  return schema;
}

function target(pass: Pass, type: NamedType): Schema {
  const place = isOwn(type.place) ? type.place : pass.place;
  return attempt(pass, () => {
    const opened = type.target();
    return convert(opened.kind === "object" ? { run: pass.run, depth: pass.depth, place } : pass, opened);
  });
}

function recall(run: Run, known: WireType): Schema {
  run.wire.reading.touched.addAll(known.touched);
  run.refusals.push(...known.refusals);
  return known.schema;
}

function keep({ table }: Wire, id: string, schema: Schema): Schema {
  // A name for a named type is the same type.
  const behind = schema.kind === "ref" ? table.get(schema.id) : schema;
  if (behind) table.set(id, behind);
  return schema.kind === "ref" ? schema : { kind: "ref", id };
}

/** Objects and unions of them keep their name; a name for a text or a list adds nothing. */
function deservesName(type: NamedType, schema: Schema): boolean {
  if (type.name === "") return false;
  if (schema.kind === "object") return true;
  return schema.kind === "union" && schema.variants.some(({ kind }) => kind === "object" || kind === "ref");
}
