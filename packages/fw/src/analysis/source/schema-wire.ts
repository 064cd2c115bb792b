import type { Field, Schema, TupleItem } from "../../model/schema.ts";
import { spanOf } from "./position.ts";
import { NeedsChecker, questionKey, type Reading } from "./schema-reading.ts";
import { refusalOf, type Refusal } from "./schema-refusal.ts";
import {
  isUndefined,
  membersOf,
  open,
  unionOf,
  withoutUndefined,
  type NamedType,
  type ObjectType,
  type Place,
  type Property,
  type RefusalReason,
  type Type,
} from "./schema-type.ts";
import type { Question } from "./checker.ts";

/** Nesting past which no one reads a type. */
const deepest = 60;
/** Parts past which a type is refused. */
const mostParts = 20_000;

/** A named type read once for the whole application. */
export interface WireType {
  /** A `ref`, or the type itself where its name adds nothing. */
  readonly schema: Schema;
  readonly refusals: readonly Refusal[];
  readonly touched: readonly string[];
}

/** What turning types into schemas shares. */
export interface Wire {
  readonly reading: Reading;
  /** Behind the refs. */
  readonly table: Map<string, Schema>;
  readonly named: Map<string, WireType>;
}

interface Pass extends Wire {
  readonly stack: Frame[];
  readonly refusals: Refusal[];
  readonly questions: Map<string, Question>;
  readonly parts: { count: number; asked: number };
  readonly depth: number;
  /** What a finding points at: the field, or the whole. */
  readonly place: Place;
}

interface Frame {
  readonly id: string;
  recursive: boolean;
}

export interface Conversion {
  readonly schema: Schema;
  readonly refusals: readonly Refusal[];
  /** What the checker has to answer before the schema counts. */
  readonly questions: readonly Question[];
}

const placeholder: Schema = { kind: "json" };

/** The schema of a type, every unsendable part refused at its field. */
export function toSchema(wire: Wire, type: () => Type, place: Place): Conversion {
  const pass: Pass = {
    ...wire,
    stack: [],
    refusals: [],
    questions: new Map(),
    parts: { count: 0, asked: 0 },
    depth: 0,
    place,
  };
  const schema = attempt(pass, () => convert(pass, type()));
  return { schema, refusals: pass.refusals, questions: [...pass.questions.values()] };
}

/** Goes on past what only the checker knows, to put every question of a type at once. */
function attempt(pass: Pass, make: () => Schema): Schema {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof NeedsChecker)) throw error;
    pass.parts.asked += 1;
    pass.questions.set(questionKey(error.question), error.question);
    return placeholder;
  }
}

function refuse(pass: Pass, reason: RefusalReason, name: string): Schema {
  pass.refusals.push(refusalOf(reason, name, spanOf(pass.place.module, pass.place)));
  return placeholder;
}

function convert(pass: Pass, type: Type): Schema {
  pass.parts.count += 1;
  if (pass.parts.count > mostParts)
    return pass.parts.count === mostParts + 1 ? refuse(pass, "size", "this type") : placeholder;
  if (pass.depth > deepest) return refuse(pass, "depth", "this type");
  return type.kind === "named" ? convertNamed(pass, type) : convertOpened({ ...pass, depth: pass.depth + 1 }, type);
}

function convertOpened(pass: Pass, type: Exclude<Type, NamedType>): Schema {
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
    case "bound":
      return convert(pass, type.base);
    case "never":
      return refuse(pass, "never", "never");
    case "refused":
      return refuse(pass, type.reason, type.name);
  }
}

function primitive(pass: Pass, name: (Type & { kind: "primitive" })["name"]): Schema {
  if (name === "bigint") return refuse(pass, "bigint", "bigint");
  if (name === "undefined") return refuse(pass, "undefined", "undefined");
  return name === "void" ? refuse(pass, "void", "void") : { kind: name };
}

function known(pass: Pass, name: (Type & { kind: "known" })["name"]): Schema {
  switch (name) {
    case "Int":
      return { kind: "int" };
    case "Int64":
      return { kind: "int64" };
    case "Date":
      return { kind: "date" };
    case "Json":
      return { kind: "json" };
    case "Blob":
      return refuse(pass, "blob", "Blob");
  }
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
  if (type.values && type.properties.size > 0) return refuse(pass, "mixed-keys", "an object");
  const { values } = type;
  if (values) return { kind: "record", values: attempt(pass, () => convert(pass, withoutUndefined(values).type)) };
  const fields = [...type.properties.values()].map((property) => field(pass, property));
  return { kind: "object", fields: fields.filter((each) => each !== undefined) };
}

function field(pass: Pass, property: Property): Field | undefined {
  const inner: Pass = { ...pass, place: isOwn(property.place) ? property.place : pass.place };
  let result: Field | undefined = { name: property.name, schema: placeholder, optional: property.optional };
  const schema = attempt(inner, () => {
    const { type, removed } = withoutUndefined(property.type());
    const optional = property.optional || removed;
    // `tag?: never` says that the field is absent.
    if (optional && open(type).kind === "never") return ((result = undefined), placeholder);
    result = { name: property.name, schema: placeholder, optional };
    return convert(inner, type);
  });
  return result && { ...result, schema };
}

function isOwn(place: Place | undefined): place is Place {
  return place !== undefined && !place.module.path.startsWith("../");
}

function union(pass: Pass, type: Type): Schema {
  const members = membersOf(unionOf([type]));
  if (members.some(isUndefined)) return refuse(pass, "undefined", "undefined");
  if (members.length === 0) return refuse(pass, "never", "never");
  const variants = members.map((member) => attempt(pass, () => convert(pass, member)));
  const [only, ...more] = variants;
  return only && more.length === 0 ? only : { kind: "union", variants };
}

function convertNamed(pass: Pass, type: NamedType): Schema {
  const open = pass.stack.findIndex((frame) => frame.id === type.id);
  if (open !== -1) {
    for (const frame of pass.stack.slice(open)) frame.recursive = true;
    return { kind: "ref", id: type.id };
  }
  const known = pass.named.get(type.id);
  if (known) return recall(pass, known);
  const before = pass.refusals.length;
  const { asked } = pass.parts;
  const frame: Frame = { id: type.id, recursive: false };
  pass.stack.push(frame);
  const { value, paths } = pass.reading.touched.during(() => target({ ...pass, depth: pass.depth + 1 }, type));
  pass.stack.pop();
  const schema = frame.recursive || deservesName(type, value) ? keep(pass, type.id, value) : value;
  if (pass.parts.asked === asked)
    pass.named.set(type.id, { schema, refusals: pass.refusals.slice(before), touched: paths });
  return schema;
}

function target(pass: Pass, type: NamedType): Schema {
  const place = isOwn(type.place) ? type.place : pass.place;
  return attempt(pass, () => {
    const opened = type.target();
    const inner = { ...pass, place: opened.kind === "object" ? place : pass.place };
    return convert(inner, opened);
  });
}

function recall(pass: Pass, known: WireType): Schema {
  pass.reading.touched.addAll(known.touched);
  pass.refusals.push(...known.refusals);
  return known.schema;
}

function keep(pass: Pass, id: string, schema: Schema): Schema {
  // A name for a named type is the same type.
  const behind = schema.kind === "ref" ? pass.table.get(schema.id) : schema;
  if (behind) pass.table.set(id, behind);
  return schema.kind === "ref" ? schema : { kind: "ref", id };
}

/** Objects and unions of them keep their name; a name for a text or a list adds nothing. */
function deservesName(type: NamedType, schema: Schema): boolean {
  if (type.name === "") return false;
  if (schema.kind === "object") return true;
  return schema.kind === "union" && schema.variants.some(({ kind }) => kind === "object" || kind === "ref");
}
