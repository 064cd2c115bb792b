import { relative, sep } from "node:path";
import type { ESTree } from "rolldown/utils";
import { utilities } from "./schema-utilities.ts";
import { fromChecked } from "./schema-checked.ts";
import type { SourceModule } from "./module.ts";
import { enumMembers } from "./schema-enum.ts";
import { withMark } from "./schema-marks.ts";
import { objectOf } from "./schema-object.ts";
import {
  exportedMeaning,
  meaningOf,
  typesOf,
  type Argument,
  type Meaning,
  type Scope,
  type TypeDeclaration,
} from "./schema-scope.ts";
import {
  NeedsChecker,
  placeOf,
  questionKey,
  questionOf,
  refused,
  unsure,
  once,
  type Reading,
} from "./schema-reading.ts";
import { open, unionOf, type NamedType, type RefusalReason, type Type } from "./schema-type.ts";

export function reference(reading: Reading, node: ESTree.TSTypeReference, scope: Scope): Type {
  const path = entityPath(node.typeName);
  if (!path) throw unsure(scope, node);
  const [head = "", ...rest] = path;
  const parameter = rest.length === 0 ? scope.parameters.get(head) : undefined;
  if (parameter) return parameter.type;
  return meaningType(reading, meaningOf(reading.project, scope.module, head, reading.touched), rest, node, scope);
}

/** `A.B.C` as names, from the left. */
export function entityPath(name: ESTree.TSTypeName | ESTree.Expression): readonly string[] | undefined {
  if (name.type === "Identifier") return [name.name];
  if (name.type === "TSQualifiedName") return joined(entityPath(name.left), name.right.name);
  if (name.type === "MemberExpression" && !name.computed && name.property.type === "Identifier") {
    return joined(entityPath(name.object), name.property.name);
  }
  return undefined;
}

function joined(left: readonly string[] | undefined, right: string): readonly string[] | undefined {
  return left && [...left, right];
}

/** A node that names a type and may carry type arguments. */
export interface Reference extends ESTree.Span {
  readonly typeArguments: ESTree.TSTypeParameterInstantiation | null;
}

/** The type that a name means, `rest` being the names after the dots. */
export function meaningType(
  reading: Reading,
  meaning: Meaning,
  rest: readonly string[],
  node: Reference,
  scope: Scope,
): Type {
  const [next, ...after] = rest;
  if (meaning.kind === "namespace") {
    const inner =
      next === undefined ? undefined : exportedMeaning(reading.project, meaning.module, next, reading.touched);
    reading.touched.add(meaning.module.path);
    if (!inner) throw unsure(scope, node);
    return meaningType(reading, inner, after, node, scope);
  }
  if (meaning.kind === "declared") return declared(reading, meaning.module, meaning.name, rest, node, scope);
  if (meaning.kind === "outside") return outside(reading, meaning.specifier, [meaning.name, ...rest], node, scope);
  if (next !== undefined) throw unsure(scope, node);
  return globalType(reading, meaning.name, node, scope);
}

function outside(reading: Reading, specifier: string, names: readonly string[], node: Reference, scope: Scope): Type {
  const name = names.filter((each) => each !== "*").join(".");
  if (specifier !== "fw") throw unsure(scope, node);
  return marker(reading, name, node, scope) ?? refusedOfFw(name, scope, node);
}

function refusedOfFw(name: string, scope: Scope, node: Reference): Type {
  const isMade =
    name === "Context" ||
    name === "HTML" ||
    name === "Redirection" ||
    name === "EndpointDeclaration" ||
    name === "EntityDeclaration" ||
    name === "EntityQuery";
  if (isMade) return refused("global", name);
  throw unsure(scope, node);
}

/** One of fw's own types. */
function marker(reading: Reading, name: string, node: Reference, scope: Scope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name === "ID") return withMark({ kind: "primitive", name: "string" }, "id");
  if (name === "Index" || name === "Transient") {
    const [kept] = node.typeArguments?.params ?? [];
    if (!kept) throw unsure(scope, node);
    return withMark(reading.evaluate(kept, scope), name === "Index" ? "index" : "transient");
  }
  if (name !== "Path" && name !== "Query" && name !== "Form") return undefined;
  const [of, wire] = node.typeArguments?.params ?? [];
  const base: Type = of ? reading.evaluate(of, scope) : { kind: "primitive", name: "string" };
  const named = wire ? open(reading.evaluate(wire, scope)) : undefined;
  if (named && (named.kind !== "literal" || typeof named.value !== "string")) throw unsure(scope, node);
  const text = named?.kind === "literal" ? String(named.value) : "";
  const source = name === "Path" ? "path" : name === "Query" ? "query" : "form";
  return { kind: "bound", source, wire: text === "" ? undefined : text, base };
}

const refusedGlobals: Readonly<Record<string, RefusalReason>> = {
  Map: "map",
  ReadonlyMap: "map",
  WeakMap: "map",
  Set: "set",
  ReadonlySet: "set",
  WeakSet: "set",
  Function: "function",
  CallableFunction: "function",
  Symbol: "symbol",
  Object: "object",
  Promise: "global",
  RegExp: "global",
  Error: "global",
  URL: "global",
  String: "global",
  Number: "global",
  Boolean: "global",
  Uint8Array: "global",
  ArrayBuffer: "global",
  Buffer: "global",
  Iterable: "global",
  AsyncIterable: "global",
  ReadableStream: "global",
  Request: "global",
  Response: "global",
  BigInt: "bigint",
};

function globalType(reading: Reading, name: string, node: Reference, scope: Scope): Type {
  if (isAugmented(reading, name) || (scope.place && isShadowed(reading, name))) throw unsure(scope, node);
  if (name === "Date") return { kind: "known", name: "Date" };
  if (name === "Blob" || name === "File") return { kind: "known", name: "Blob" };
  const reason = refusedGlobals[name];
  if (reason) return refused(reason, name);
  const utility = utilities[name];
  if (!utility) throw unsure(scope, node);
  const give = (): NeedsChecker => unsure(scope, node);
  return utility(node.typeArguments?.params.map((each) => reading.evaluate(each, scope)) ?? [], give);
}

/** Declarations merge across files only inside `declare global` and `declare module`, and in files that are no modules. */
function isAugmented(reading: Reading, name: string): boolean {
  reading.augmented ??= new Set([...reading.project.modules()].flatMap((module) => globalNames(module)));
  return reading.augmented.has(name);
}

/** In a printed type a bare name may be a module's own unexported one instead of the global. */
function isShadowed(reading: Reading, name: string): boolean {
  reading.shadowed ??= new Set(
    [...reading.project.modules()].flatMap((module) => [...typesOf(module).declarations.keys()]),
  );
  return reading.shadowed.has(name);
}

function globalNames(module: SourceModule): readonly string[] {
  const { augmented, declarations } = typesOf(module);
  const isModule = module.program.body.some((each) => /^(Import|Export)/.test(each.type));
  return isModule ? augmented : [...augmented, ...declarations.keys()];
}

function declared(
  reading: Reading,
  module: SourceModule,
  name: string,
  rest: readonly string[],
  node: Reference,
  scope: Scope,
): Type {
  reading.touched.add(module.path);
  const declarations = typesOf(module).declarations.get(name);
  const [first] = declarations ?? [];
  if (!declarations || !first || isAugmented(reading, name)) throw unsure(scope, node);
  if (rest.length > 0) return inside(first, declarations, rest, node, scope);
  if (declarations.some((each) => each.type === "TSModuleDeclaration")) throw unsure(scope, node);
  if (first.type === "ClassDeclaration") return refused("class", name);
  return named(reading, module, name, declarations, node, scope);
}

/** `Color.Red`: one member of an enum. */
function inside(
  first: TypeDeclaration,
  declarations: readonly TypeDeclaration[],
  rest: readonly string[],
  node: Reference,
  scope: Scope,
): Type {
  const members = first.type === "TSEnumDeclaration" && declarations.length === 1 ? enumMembers(first) : undefined;
  const value = rest.length === 1 ? members?.get(rest[0] ?? "") : undefined;
  if (value === undefined) throw unsure(scope, node);
  return { kind: "literal", value };
}

function named(
  reading: Reading,
  module: SourceModule,
  name: string,
  declarations: readonly TypeDeclaration[],
  node: Reference,
  scope: Scope,
): Type {
  const [first] = declarations;
  if (!first || first.type === "ClassDeclaration" || first.type === "ClassExpression" || !first.id)
    throw unsure(scope, node);
  const inner = bind(reading, module, declarations, node, scope);
  const id = `${module.path}#${name}${argumentText(inner)}`;
  const known = reading.named.get(id);
  if (known && !scope.around && inner.parameters.size === 0) return known;
  const made: NamedType = {
    kind: "named",
    id,
    name,
    exported: isExported(module, name),
    place: { module, start: first.id.start, end: first.id.end },
    target: once(reading, () => body(reading, declarations, inner)),
  };
  reading.named.set(id, made);
  return made;
}

export function isExported(module: SourceModule, name: string): boolean {
  for (const target of module.exports.values()) if (target.kind === "local" && target.name === name) return true;
  return false;
}

function argumentText(scope: Scope): string {
  const keys = [...scope.parameters.values()].map(({ key }) => key);
  return keys.length === 0 ? "" : `<${keys.join(",")}>`;
}

/** The scope of a declaration's body: its parameters mean the reference's arguments, or their defaults. */
function bind(
  reading: Reading,
  module: SourceModule,
  declarations: readonly TypeDeclaration[],
  node: Reference,
  scope: Scope,
): Scope {
  const [first] = declarations;
  const declaredParameters = first && "typeParameters" in first ? (first.typeParameters?.params ?? []) : [];
  if (declaredParameters.length === 0) return { module, parameters: new Map() };
  const around = scope.around ?? questionOf(scope.module, node);
  const parameters = new Map<string, Argument>();
  const inner: Scope = { module, parameters, around };
  for (const [index, parameter] of declaredParameters.entries()) {
    const given = node.typeArguments?.params[index];
    const of = given ?? parameter.default;
    if (!of) throw unsure(scope, node);
    parameters.set(parameter.name.name, given ? argument(reading, given, scope) : argument(reading, of, inner));
  }
  return inner;
}

function argument(reading: Reading, node: ESTree.TSType, scope: Scope): Argument {
  const type = reading.evaluate(node, scope);
  return { type, key: argumentKey(node, scope, type) };
}

/** Names an argument inside an id: by its own id, its text, or its text and where that text stands. */
function argumentKey(node: ESTree.TSType, scope: Scope, type: Type): string {
  if (type.kind === "named") return type.id;
  if (node.type === "TSTypeReference" && node.typeName.type === "Identifier") {
    const parameter = scope.parameters.get(node.typeName.name);
    if (parameter) return parameter.key;
  }
  const text = scope.module.text.slice(node.start, node.end).replace(/\s+/g, " ");
  if (type.kind === "primitive" || type.kind === "literal" || type.kind === "known") return text;
  const given = [...scope.parameters].map(([name, { key }]) => `${name}=${key}`).join(",");
  return `${text}@${scope.module.path}${given === "" ? "" : `{${given}}`}`;
}

/** What a declaration stands for. What its own syntax does not settle is asked for by its name. */
function body(reading: Reading, declarations: readonly TypeDeclaration[], scope: Scope): Type {
  reading.touched.add(scope.module.path);
  const [first] = declarations;
  const name = first?.id ?? { start: 0, end: 0 };
  const question = scope.around ?? questionOf(scope.module, name);
  const answer = scope.around ? undefined : reading.answers.get(questionKey(question));
  if (answer) return fromChecked(answer, placeOf(scope, name));
  if (first?.type === "TSTypeAliasDeclaration" && declarations.length === 1) {
    return reading.evaluate(first.typeAnnotation, scope);
  }
  const giveUp = (): NeedsChecker => new NeedsChecker(question);
  if (first?.type === "TSEnumDeclaration" && declarations.length === 1) return enumType(first, giveUp);
  const interfaces = declarations.filter((each) => each.type === "TSInterfaceDeclaration");
  if (interfaces.length !== declarations.length) throw giveUp();
  return interfaceType(reading, interfaces, scope, giveUp);
}

function enumType(declaration: ESTree.TSEnumDeclaration, giveUp: () => NeedsChecker): Type {
  const members = enumMembers(declaration);
  if (!members) throw giveUp();
  return unionOf([...members.values()].map((value) => ({ kind: "literal", value })));
}

function interfaceType(
  reading: Reading,
  declarations: readonly ESTree.TSInterfaceDeclaration[],
  scope: Scope,
  giveUp: () => NeedsChecker,
): Type {
  const own = objectOf(
    reading,
    declarations.flatMap((each) => each.body.body),
    scope,
    giveUp,
  );
  const bases = declarations.flatMap((each) => each.extends).map((heritage) => base(reading, heritage, scope, giveUp));
  if (own.kind !== "object" || bases.length === 0) return own;
  const properties = new Map(own.properties);
  let values = own.values;
  for (const each of bases) {
    if (each.kind !== "object") return each;
    for (const [name, property] of each.properties) if (!properties.has(name)) properties.set(name, property);
    values ??= each.values;
  }
  return { kind: "object", properties, ...(values ? { values } : {}) };
}

function base(reading: Reading, heritage: ESTree.TSInterfaceHeritage, scope: Scope, giveUp: () => NeedsChecker): Type {
  const [head, ...rest] = entityPath(heritage.expression) ?? [];
  if (head === undefined) throw giveUp();
  const meaning = meaningOf(reading.project, scope.module, head, reading.touched);
  // Only the whole interface can be asked for: what it extends is an expression.
  const closed = { ...scope, around: scope.around ?? giveUp().question };
  const found = open(meaningType(reading, meaning, rest, heritage, closed));
  if (found.kind === "object" || found.kind === "refused") return found;
  throw giveUp();
}

export function importType(reading: Reading, node: ESTree.TSImportType, scope: Scope): Type {
  const names = qualifierPath(node.qualifier);
  if (node.source.value === "fw") return outside(reading, "fw", names, node, scope);
  const module = importedModule(reading, node.source.value, scope);
  if (!module) return importedMarker(reading, node, names, scope);
  return meaningType(reading, { kind: "namespace", module }, names, node, scope);
}

function importedModule(reading: Reading, source: string, scope: Scope): SourceModule | undefined {
  const { project } = reading;
  if (!scope.place) {
    const path = project.resolve(scope.module.path, source);
    return path === undefined ? undefined : project.module(path);
  }
  const base = relative(project.root, source).split(sep).join("/");
  if (base.startsWith("..") || base.split("/").includes("node_modules")) return undefined;
  for (const ending of [".ts", ".tsx", ".mts", "/index.ts", ""]) {
    const module = project.module(base + ending);
    if (module) return module;
  }
  return undefined;
}

/** The checker names fw's types by the file that declares them. */
function importedMarker(reading: Reading, node: ESTree.TSImportType, names: readonly string[], scope: Scope): Type {
  const isFw = /\/declare\/(binding|blob)$/.test(node.source.value);
  const found = isFw ? marker(reading, names.join("."), node, scope) : undefined;
  if (!found) throw unsure(scope, node);
  return found;
}

function qualifierPath(node: ESTree.TSImportTypeQualifier | null): readonly string[] {
  if (!node) return [];
  return node.type === "Identifier" ? [node.name] : [...qualifierPath(node.left), node.right.name];
}
