import ts from "typescript-6";
import type { Field, Schema, TypeTable } from "../../model/schema.ts";

/** The classic checker's result for a type: its schema, and the reasons why its values cannot be sent, if any. */
export interface Verdict {
  readonly schema: Schema;
  readonly types: TypeTable;
  readonly refused: readonly string[];
}

export interface Oracle {
  /** Returns the type of a module's alias. */
  alias(path: string, name: string): Verdict;
  /** Returns the aliases of a module that have a TypeScript error. */
  mistaken(path: string): ReadonlySet<string>;
  /** Returns a type argument of a constant's type: `EndpointDeclaration<Req, Res>`. */
  argument(path: string, name: string, index: number): Verdict;
}

/** Opens the classic checker on the same files and walks its type objects: slow but independent, for tests only. */
export function openOracle(root: string, paths: readonly string[]): Oracle {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const program = ts.createProgram(
    paths.map((path) => `${root}/${path}`),
    options,
  );
  const checker = program.getTypeChecker();
  const symbolIn = (path: string, name: string): ts.Symbol => {
    const file = program.getSourceFile(`${root}/${path}`);
    const module = file && checker.getSymbolAtLocation(file);
    const found = module && checker.getExportsOfModule(module).find((each) => each.name === name);
    if (!found) throw new Error(`${path} exports no ${name}`);
    return found;
  };
  return {
    alias: (path, name) => verdict(checker, checker.getDeclaredTypeOfSymbol(symbolIn(path, name))),
    mistaken: (path) => {
      const file = program.getSourceFile(`${root}/${path}`);
      const starts = program.getSemanticDiagnostics(file).map(({ start }) => start ?? 0);
      const aliases = file?.statements.filter((each) => ts.isTypeAliasDeclaration(each)) ?? [];
      return new Set(
        aliases
          .filter((each) => starts.some((start) => start >= each.pos && start < each.end))
          .map(({ name }) => name.text),
      );
    },
    argument: (path, name, index) => {
      const type = checker.getTypeOfSymbol(symbolIn(path, name)) as ts.TypeReference;
      const argument = checker.getTypeArguments(type)[index];
      if (!argument) throw new Error(`${name} has no type argument ${index}`);
      return verdict(checker, argument);
    },
  };
}

interface Walk {
  readonly checker: ts.TypeChecker;
  readonly ids: Map<ts.Type, string>;
  readonly types: Record<string, Schema>;
  readonly refused: string[];
}

function verdict(checker: ts.TypeChecker, type: ts.Type): Verdict {
  const walk: Walk = { checker, ids: new Map(), types: {}, refused: [] };
  const schema = visit(walk, type);
  const types = Object.fromEntries(Object.entries(walk.types).map(([id, each]) => [id, tagged(walk, each)]));
  return { schema: tagged(walk, schema), types, refused: walk.refused };
}

/** Adds tags to unions. They depend on whole variants, so they are computed last. */
function tagged(walk: Walk, schema: Schema): Schema {
  const parsed: unknown = JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("kind" in value) || value.kind !== "union") return value;
    const found = value as Schema & { kind: "union" };
    const tag = tagOf(walk, found.variants);
    return tag === undefined ? found : { ...found, tag };
  });
  return parsed as Schema;
}

const scalars: readonly (readonly [ts.TypeFlags, Schema])[] = [
  [ts.TypeFlags.String, { kind: "string" }],
  [ts.TypeFlags.Number, { kind: "number" }],
  [ts.TypeFlags.Boolean, { kind: "boolean" }],
  [ts.TypeFlags.Null, { kind: "null" }],
];

function visit(walk: Walk, type: ts.Type): Schema {
  const scalar = scalars.find(([flag]) => type.flags & flag && !(type.flags & ts.TypeFlags.Literal));
  if (scalar) return scalar[1];
  if (type.aliasSymbol?.name === "Json" && isOfFw(type.aliasSymbol)) return { kind: "json" };
  if (type.isStringLiteral() || type.isNumberLiteral()) return { kind: "literal", value: type.value };
  if (type.flags & ts.TypeFlags.BooleanLiteral)
    return { kind: "literal", value: walk.checker.typeToString(type) === "true" };
  if (type.flags & ts.TypeFlags.Substitution) return visit(walk, (type as ts.SubstitutionType).baseType);
  if (type.isIntersection()) return intersection(walk, type);
  if (type.isUnion()) return union(walk, type);
  if (type.flags & ts.TypeFlags.Object) return named(walk, type);
  if (type.flags & ts.TypeFlags.TemplateLiteral) return pattern(walk, type as ts.TemplateLiteralType);
  return refuse(walk, walk.checker.typeToString(type));
}

function pattern(walk: Walk, type: ts.TemplateLiteralType): Schema {
  const holes = type.types.map((each) => walk.checker.typeToString(each));
  const known = holes.filter((hole) => hole === "string" || hole === "number" || hole === "bigint");
  if (known.length < holes.length) return refuse(walk, walk.checker.typeToString(type));
  return { kind: "string", pattern: { texts: type.texts, holes: known } };
}

function refuse(walk: Walk, why: string): Schema {
  walk.refused.push(why);
  return { kind: "json" };
}

function isOfFw(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some((each) =>
    /\/declare\/(binding|blob)\.(d\.)?ts$/.test(each.getSourceFile().fileName),
  );
}

function intersection(walk: Walk, type: ts.IntersectionType): Schema {
  if (walk.checker.typeToString(type) === "never") return refuse(walk, "never");
  const primitive = type.types.find(
    (each) =>
      each.flags &
      (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike | ts.TypeFlags.BooleanLike),
  );
  const marks = type.types.flatMap((each) => (each === primitive ? [] : each.getProperties())).filter(isOfFw);
  const has = (mark: string): boolean => marks.some(({ escapedName }) => String(escapedName).startsWith(`__@${mark}@`));
  if (has("int")) return { kind: "int" };
  if (has("int64")) return { kind: "int64" };
  if (primitive) return visit(walk, primitive);
  const rest = type.types.filter((each) => !each.getProperties().some(isOfFw));
  const values = rest.length > 1 ? rest.filter((each) => !isBrand(each)) : rest;
  const [only] = values;
  return only && values.length === 1 ? visit(walk, only) : named(walk, type);
}

function isBrand(type: ts.Type): boolean {
  const properties = type.getProperties();
  return properties.length > 0 && properties.every(({ escapedName }) => String(escapedName).startsWith("_"));
}

function union(walk: Walk, type: ts.UnionType): Schema {
  return unionOf(walk, type.types);
}

function unionOf(walk: Walk, given: readonly ts.Type[]): Schema {
  const possible = given.filter((each) => walk.checker.typeToString(each) !== "never");
  if (possible.length === 0) return refuse(walk, "never");
  const all = possible.filter((each) => !isPartOfJson(walk, each, possible));
  if (all.length < possible.length && all.length === 0) return { kind: "json" };
  if (all.some((each) => each.flags & ts.TypeFlags.Undefined)) return refuse(walk, "undefined");
  const isBoolean = all.filter((each) => each.flags & ts.TypeFlags.BooleanLiteral).length === 2;
  const members = isBoolean ? all.filter((each) => !(each.flags & ts.TypeFlags.BooleanLiteral)) : all;
  const found = members.map((each) => visit(walk, each));
  const json: readonly Schema[] = all.length < possible.length ? [{ kind: "json" }] : [];
  const variants = unique([...found, ...json, ...(isBoolean ? [{ kind: "boolean" } as const] : [])]);
  const [only, ...more] = variants;
  if (only && more.length === 0) return only;
  return { kind: "union", variants };
}

/** True if the type is part of a `Json` member, which TypeScript does not show in a union with undefined. */
function isPartOfJson(walk: Walk, type: ts.Type, all: readonly ts.Type[]): boolean {
  const isList = (each: ts.Type): boolean => {
    const items = walk.checker.isArrayType(each)
      ? walk.checker.getTypeArguments(each as ts.TypeReference)[0]
      : undefined;
    return items?.aliasSymbol?.name === "Json" && isOfFw(items.aliasSymbol);
  };
  if (!all.some(isList)) return false;
  const scalar = ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.BooleanLike | ts.TypeFlags.Null;
  return (
    !!(type.flags & scalar) ||
    isList(type) ||
    walk.checker.getIndexInfosOfType(type).some((info) => info.type.aliasSymbol?.name === "Json")
  );
}

function isFlag(each: Schema): boolean {
  return each.kind === "literal" && typeof each.value === "boolean";
}

/** Simplifies a union: joins `true` and `false`, and drops duplicates and what a primitive or Json covers. */
function unique(given: readonly Schema[]): readonly Schema[] {
  const both = new Set(given.filter(isFlag).map((each) => JSON.stringify(each))).size === 2;
  const variants: readonly Schema[] = both ? [...given.filter((each) => !isFlag(each)), { kind: "boolean" }] : given;
  const kinds: readonly string[] = variants.map(({ kind }) => kind);
  const plain = new Set(kinds.includes("json") ? [...kinds, "string", "number", "boolean"] : kinds);
  const kept = new Map(variants.map((each) => [JSON.stringify(each), each]));
  const inJson: ReadonlySet<string> = new Set(kinds.includes("json") ? ["string", "number", "boolean", "null"] : []);
  return [...kept.values()].filter((each) =>
    each.kind === "literal" ? !plain.has(typeof each.value) : !inJson.has(each.kind),
  );
}

function tagOf(walk: Walk, variants: readonly Schema[]): string | undefined {
  const inner = variants.map((each) => (each.kind === "ref" ? walk.types[each.id] : each));
  if (inner.some((each) => each === undefined || each.kind === "record" || each.kind === "json")) return undefined;
  const objects = inner.filter((each) => each?.kind === "object");
  if (objects.length < 2) return undefined;
  return objects[0]?.fields
    .map(({ name }) => name)
    .find((name) => {
      const schemas = objects.map(({ fields }) => fields.find((each) => each.name === name && !each.optional)?.schema);
      const values = schemas.flatMap((each): readonly (Schema | undefined)[] =>
        each?.kind === "union" ? each.variants : [each],
      );
      return (
        values.every((each) => each?.kind === "literal") &&
        new Set(values.map((each) => JSON.stringify(each))).size === values.length
      );
    });
}

/** Converts an object type under an id, and returns a ref to it if the type recurs, so that recursion ends. */
function named(walk: Walk, type: ts.Type): Schema {
  const known = walk.ids.get(type);
  if (known !== undefined) return { kind: "ref", id: known };
  if (walk.ids.size > 500) return refuse(walk, "too large");
  const id = `type ${walk.ids.size}`;
  walk.ids.set(type, id);
  walk.types[id] = object(walk, type);
  const made = walk.types[id];
  return made?.kind === "object" || made?.kind === "array" || made?.kind === "tuple" || made?.kind === "record"
    ? { kind: "ref", id }
    : (made ?? { kind: "json" });
}

function object(walk: Walk, type: ts.Type): Schema {
  const { checker } = walk;
  const name = type.symbol?.name;
  const files = (type.symbol?.declarations ?? []).map((each) => each.getSourceFile().fileName);
  if (checker.isTupleType(type)) return tuple(walk, type as ts.TupleTypeReference);
  if (checker.isArrayType(type))
    return list(walk, checker.getTypeArguments(type as ts.TypeReference)[0] ?? checker.getNeverType());
  if (type.isClassOrInterface() || (type as ts.TypeReference).target?.isClassOrInterface()) {
    if (files.some((file) => /\/lib\.[\w.]+\.d\.ts$/.test(file)))
      return name === "Date" ? { kind: "date" } : refuse(walk, name ?? "a class");
    if (type.symbol.flags & ts.SymbolFlags.Class && !type.getProperties().every(isPublicField))
      return refuse(walk, name ?? "a class");
  }
  if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) return refuse(walk, "a function");
  return fieldsOf(walk, type);
}

/** True for a public field. A class with only such fields is an object type. */
function isPublicField({ declarations = [] }: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return declarations.every(
    (each) =>
      ts.isPropertyDeclaration(each) &&
      !ts.isPrivateIdentifier(each.name) &&
      !(ts.getCombinedModifierFlags(each) & hidden),
  );
}

/** Converts a list. A list of `never` is always empty. */
function list(walk: Walk, items: ts.Type): Schema {
  return walk.checker.typeToString(items) === "never"
    ? { kind: "tuple", items: [] }
    : { kind: "array", items: visit(walk, items) };
}

function fieldsOf(walk: Walk, type: ts.Type): Schema {
  const index = walk.checker.getIndexInfosOfType(type);
  const properties = type.getProperties();
  if (index.length > 0) {
    const [info] = index;
    if (!info || properties.length > 0 || index.some((each) => !(each.keyType.flags & ts.TypeFlags.String)))
      return refuse(walk, "keys");
    const isNever = (info.type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0;
    return { kind: "record", values: isNever ? { kind: "never" } : visitOptional(walk, info.type) };
  }
  const fields: Field[] = [];
  for (const property of properties) {
    if (String(property.escapedName).startsWith("__@") && property.flags & ts.SymbolFlags.Optional) continue;
    if (String(property.escapedName).startsWith("__@")) return refuse(walk, "symbol keys");
    const of = walk.checker.getTypeOfSymbol(property);
    const parts = of.isUnion() ? of.types : [of];
    const optional =
      !!(property.flags & ts.SymbolFlags.Optional) || parts.some((each) => each.flags & ts.TypeFlags.Undefined);
    if (optional && parts.every((each) => each.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never))) {
      fields.push({ name: property.name, schema: { kind: "never" }, optional });
      continue;
    }
    fields.push({ name: property.name, schema: optional ? visitOptional(walk, of) : visit(walk, of), optional });
  }
  return { kind: "object", fields };
}

function visitOptional(walk: Walk, type: ts.Type): Schema {
  if (!type.isUnion()) return visit(walk, type);
  const parts = type.types.filter((each) => !(each.flags & ts.TypeFlags.Undefined));
  if (type.aliasSymbol?.name === "Json" && parts.length === type.types.length) return visit(walk, type);
  const rest = walk.checker.getNonNullableType(type);
  if (!parts.some((each) => each.flags & ts.TypeFlags.Null) && rest.aliasSymbol?.name === "Json")
    return visit(walk, rest);
  return unionOf(walk, parts);
}

function tuple(walk: Walk, type: ts.TupleTypeReference): Schema {
  const all = walk.checker.getTypeArguments(type);
  const items: { schema: Schema; optional: boolean }[] = [];
  for (const [index, each] of all.entries()) {
    const flags = type.target.elementFlags[index] ?? ts.ElementFlags.Required;
    if (flags & ts.ElementFlags.Variadic) return refuse(walk, "a variadic tuple");
    if (flags & ts.ElementFlags.Rest) {
      if (index < all.length - 1) return refuse(walk, "a rest element before the end");
      return { kind: "tuple", items, rest: visit(walk, each) };
    }
    const optional = !!(flags & ts.ElementFlags.Optional);
    items.push({ schema: optional ? visitOptional(walk, each) : visit(walk, each), optional });
  }
  return { kind: "tuple", items };
}
