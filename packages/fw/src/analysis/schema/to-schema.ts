import { bindings } from "../../model/bindings.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { Field, Schema, TupleItem } from "../../model/schema.ts";
import {
  attempt,
  startConversion,
  placeholder,
  refuse,
  type Attempt,
  type NamedFrame,
  type Pass,
  type Conversion,
  type SchemaConverter,
  type WireType,
} from "./conversion.ts";
import { simplifyVariants } from "./simplify-variants.ts";
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
  type SourceRange,
  type Property,
  type Type,
} from "./type.ts";

const maxDepth = 60;
/** Maximum number of parts in a type. */
const mostParts = 20_000;

/** Converts a type to a schema. Each part that cannot be sent is a problem of its field. */
export function toSchema(wire: SchemaConverter, type: () => Type, range: SourceRange): Attempt<Schema> {
  const run = startConversion(wire);
  const pass: Pass = { run, depth: 0, range };
  const value = attempt(pass, () => convertType(pass, type()));
  return { value, refusals: run.refusals, questions: [...run.questions.values()] };
}

function convertType(pass: Pass, type: Type): Schema {
  const { run } = pass;
  run.parts += 1;
  if (run.parts > mostParts) return run.parts === mostParts + 1 ? refuse(pass, "size", "this type") : placeholder;
  if (pass.depth > maxDepth) return refuse(pass, "depth", "this type");
  if (type.kind === "marked") return addLimits(pass, convertType(pass, type.base), constraintsOf(type));
  return type.kind === "named" ? convertNamed(pass, type) : convertOpened(deeper(pass), type);
}

/** Adds the limits of constraints to a schema; refuses constraints that do not fit it. */
function addLimits(pass: Pass, schema: Schema, constraints: readonly Constraint[]): Schema {
  if (constraints.length === 0) return schema;
  const limits = limitsWith(constraints, constrainedKinds[schema.kind]);
  if ("problem" in limits) return refuse(pass, "constraint", limits.problem);
  return { ...schema, limits: limits.limits } as Schema;
}

const constrainedKinds: Readonly<Partial<Record<Schema["kind"], Constrained>>> = {
  string: "text",
  number: "number",
  int: "number",
  array: "list",
};

function deeper({ run, depth, range }: Pass): Pass {
  return { run, depth: depth + 1, range };
}

function convertOpened(pass: Pass, type: OpenedType): Schema {
  switch (type.kind) {
    case "primitive":
      return convertPrimitive(pass, type.name);
    case "known":
      return convertBuiltin(pass, type.name);
    case "literal":
      return type;
    case "array":
      // The return type of `() => []`: a list that is always empty.
      if (open(type.items).kind === "never") return { kind: "tuple", items: [] };
      return { kind: "array", items: attempt(pass, () => convertElement(pass, type.items)) };
    case "tuple":
      return convertTuple(pass, type);
    case "object":
      return convertObject(pass, type);
    case "union":
      return convertUnion(pass, type);
    case "pattern":
      return { kind: "string", pattern: type.pattern };
    case "bound":
      refuse(pass, "bound", bindings[type.source].marker);
      return convertType(pass, type.base);
    case "never":
      return refuse(pass, "never", "never");
    case "refused":
      if (type.whole !== undefined) {
        refuse(pass, type.reason, type.name);
        return convertType(pass, type.whole);
      }
      return refuse(pass, type.reason, type.name);
    default:
      return assertNever(type);
  }
}

function convertPrimitive(pass: Pass, name: (Type & { kind: "primitive" })["name"]): Schema {
  if (name === "bigint") return refuse(pass, "bigint", "bigint");
  if (name === "undefined") return refuse(pass, "undefined", "undefined");
  return name === "void" ? refuse(pass, "void", "void") : scalars[name];
}

/** One shared object per scalar, because most types consist of scalars. */
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

function convertBuiltin(pass: Pass, name: (Type & { kind: "known" })["name"]): Schema {
  return name === "Blob" ? refuse(pass, "blob", "Blob") : scalars[name];
}

function convertElement(pass: Pass, type: Type): Schema {
  return withoutUndefined(type).removed ? refuse(pass, "undefined", "undefined") : convertType(pass, type);
}

function convertTuple(pass: Pass, type: Type & { kind: "tuple" }): Schema {
  const items: TupleItem[] = [];
  for (const [index, item] of type.items.entries()) {
    if (item.rest && index < type.items.length - 1)
      return refuse(pass, "tuple", "a tuple with a rest element before its end");
    if (item.rest) return { kind: "tuple", items, rest: convertType(pass, item.type) };
    items.push({
      schema: convertType(pass, item.optional ? withoutUndefined(item.type).type : item.type),
      optional: item.optional,
    });
  }
  return { kind: "tuple", items };
}

function convertObject(pass: Pass, type: ObjectType): Schema {
  if (type.index && type.properties.size > 0) return refuse(pass, "mixed-keys", "an object");
  if (type.index) return convertRecord(pass, type.index);
  if (type.className !== undefined) refuse(pass, "instance", type.className);
  const fields: Field[] = [];
  for (const property of type.properties.values()) {
    const converted = convertField(pass, property);
    if (converted) fields.push(converted);
  }
  return { kind: "object", fields };
}

function convertRecord(pass: Pass, { key, value }: IndexSignature): Schema {
  const values = attempt(pass, () => recordValues(pass, value));
  const constraints = constraintsOf(key);
  if (constraints.length === 0) return { kind: "record", values };
  const keys = limitsWith(constraints, "text");
  return "problem" in keys ? refuse(pass, "constraint", keys.problem) : { kind: "record", values, keys: keys.limits };
}

/** Converts the values of a record. `Record<string, never>` has none: it denotes an empty object. */
function recordValues(pass: Pass, values: Type): Schema {
  const { type } = withoutUndefined(values);
  return open(type).kind === "never" ? { kind: "never" } : convertType(pass, type);
}

function convertField(pass: Pass, property: Property): Field | undefined {
  const { run, depth } = pass;
  const inner: Pass = { run, depth, range: isOwn(property.range) ? property.range : pass.range };
  const { name } = property;
  let { optional } = property;
  let isOmitted = false;
  const schema = attempt(inner, () => {
    const { type, removed } = withoutUndefined(property.type());
    optional ||= removed;
    // `tag?: never` means that the field is absent.
    if (optional && open(type).kind === "never") return { kind: "never" };
    isOmitted = type.kind === "refused" && type.reason === "user";
    return convertType(inner, type);
  });
  if (isOmitted) return undefined;
  const doc = docOf(property);
  return doc === undefined ? { name, schema, optional } : { name, schema, optional, doc };
}

function isOwn(place: SourceRange | undefined): place is SourceRange {
  return place !== undefined && !place.module.path.startsWith("../");
}

function convertUnion(pass: Pass, type: Type & { kind: "union" }): Schema {
  const variants = simplifyVariants(type.members.flatMap((member) => variantsOf(pass, member)));
  if (variants.length === 0) return refuse(pass, "never", "never");
  const [only, ...more] = variants;
  return only && more.length === 0 ? only : { kind: "union", variants };
}

/** Returns the variants of a union's member. Flattens a named union unless it is recursive. */
function variantsOf(pass: Pass, member: Type): readonly Schema[] {
  if (member.kind === "union") return member.members.flatMap((each) => variantsOf(pass, each));
  if (member.kind === "marked") {
    const constraints = constraintsOf(member);
    return variantsOf(pass, member.base).map((each) => attempt(pass, () => addLimits(pass, each, constraints)));
  }
  let isUnion = false;
  const schema = attempt(pass, () => {
    const unwrapped = open(member);
    isUnion = unwrapped.kind === "union";
    if (unwrapped.kind === "never") return { kind: "union", variants: [] };
    return isUndefined(unwrapped) ? refuse(pass, "undefined", "undefined") : convertType(pass, member);
  });
  if (schema.kind === "union") return schema.variants;
  const { wire, stack } = pass.run;
  if (schema.kind !== "ref" || !isUnion || stack.some(({ id }) => id === schema.id)) return [schema];
  const named = wire.table.get(schema.id);
  return named?.kind === "union" && !wire.recursive.has(schema.id) ? named.variants : [schema];
}

function convertNamed(pass: Pass, type: NamedType): Schema {
  const { run } = pass;
  const open = run.stack.findIndex((frame) => frame.id === type.id);
  if (open !== -1) {
    // An anonymous type is recursive only if the reference is to that very type.
    for (const [index, frame] of run.stack.slice(open).entries()) frame.recursive ||= index === 0 || frame.hasName;
    return { kind: "ref", id: type.id };
  }
  const cached = run.wire.wireTypes.get(type.id);
  if (cached) return reuse(run, cached);
  const before = run.refusals.length;
  const { questionCount } = run;
  const { value: schema, paths } = run.wire.reading.modules.during(() => convertInFrame(pass, type));
  if (run.questionCount === questionCount)
    run.wire.wireTypes.set(type.id, { schema, refusals: run.refusals.slice(before), modules: paths });
  return schema;
}

/** Converts the target of a named type. Adds it to the table if it is recursive or its name is worth keeping. */
function convertInFrame(pass: Pass, type: NamedType): Schema {
  const { run } = pass;
  const frame: NamedFrame = { id: type.id, hasName: type.name !== "", recursive: false };
  run.stack.push(frame);
  const converted = convertTarget(deeper(pass), type);
  run.stack.pop();
  const isItself = converted.kind === "ref" && converted.id === type.id;
  const value = isItself ? refuse(pass, "circular", type.name) : converted;
  if (frame.recursive) run.wire.recursive.add(type.id);
  return frame.recursive || deservesName(type, value) ? addToTable(run.wire, type.id, value) : value;
}

function convertTarget(pass: Pass, type: NamedType): Schema {
  const range = isOwn(type.range) ? type.range : pass.range;
  return attempt(pass, () => {
    const unwrapped = type.target();
    return convertType(unwrapped.kind === "object" ? { run: pass.run, depth: pass.depth, range } : pass, unwrapped);
  });
}

function reuse(run: Conversion, cached: WireType): Schema {
  run.wire.reading.modules.addAll(cached.modules);
  run.refusals.push(...cached.refusals);
  return cached.schema;
}

function addToTable({ table }: SchemaConverter, id: string, schema: Schema): Schema {
  // An alias of a named type has the schema of that type.
  const named = schema.kind === "ref" ? table.get(schema.id) : schema;
  if (named) table.set(id, named);
  return schema.kind === "ref" ? schema : { kind: "ref", id };
}

/** True for named objects and for named unions that contain objects; a name for a string or a list adds nothing. */
function deservesName(type: NamedType, schema: Schema): boolean {
  if (type.name === "") return false;
  if (schema.kind === "object") return true;
  return schema.kind === "union" && schema.variants.some(({ kind }) => kind === "object" || kind === "ref");
}
