import type { ESTree } from "rolldown/utils";
import { append } from "../../lib/grouped.ts";
import type {
  Augmentation,
  Binding,
  ExportedName,
  ImportedName,
  ModuleRequest,
  SourceModule,
  TypeDeclaration,
} from "./module.ts";

type ModuleNames = Pick<
  SourceModule,
  "requests" | "imports" | "exports" | "stars" | "bindings" | "types" | "augmentations"
>;

interface NameCollection {
  readonly requests: ModuleRequest[];
  readonly imports: Map<string, ImportedName>;
  readonly exports: Map<string, ExportedName>;
  readonly stars: string[];
  readonly bindings: Map<string, Binding>;
  readonly types: Map<string, TypeDeclaration[]>;
  readonly augmented: Augmentation[];
}

/** Collects what a module imports, exports and declares at its top level. */
export function collectNames(program: Pick<ESTree.Program, "body">): ModuleNames {
  const names: NameCollection = {
    requests: [],
    imports: new Map(),
    exports: new Map(),
    stars: [],
    bindings: new Map(),
    types: new Map(),
    augmented: [],
  };
  for (const statement of program.body) collect(names, statement);
  const { augmented, ...own } = names;
  const isModule = program.body.some(({ type }) => type.startsWith("Import") || type.startsWith("Export"));
  const ownTypes = { specifier: undefined, names: [...own.types.keys()] };
  return { ...own, augmentations: isModule ? augmented : [...augmented, ownTypes] };
}

function collect(names: NameCollection, statement: ESTree.Directive | ESTree.Statement): void {
  switch (statement.type) {
    case "ImportDeclaration":
      return collectImport(names, statement);
    case "TSImportEqualsDeclaration":
      return collectImportEquals(names, statement);
    case "ExportNamedDeclaration":
      return collectExport(names, statement);
    case "ExportAllDeclaration":
      return collectStar(names, statement);
    case "ExportDefaultDeclaration":
      return collectDefault(names, statement);
    default:
      declare(names, statement);
  }
}

function collectImport(names: NameCollection, statement: ESTree.ImportDeclaration): void {
  const { importKind, source, specifiers } = statement;
  const specifier = source.value;
  const typeOnly = importKind === "type";
  const bare = specifiers.length === 0;
  const loads = bare || specifiers.some((each) => !("importKind" in each && each.importKind === "type"));
  names.requests.push({ specifier, node: source, typeOnly, loads: loads && !typeOnly, bare: bare && !typeOnly });
  for (const each of specifiers) {
    const name =
      each.type === "ImportSpecifier"
        ? nameOf(each.imported)
        : each.type === "ImportDefaultSpecifier"
          ? "default"
          : "*";
    names.imports.set(each.local.name, { specifier, name });
  }
}

/** Collects `import fw = require("fw")`, an older form of a namespace import. */
function collectImportEquals(names: NameCollection, statement: ESTree.TSImportEqualsDeclaration): void {
  const from = statement.moduleReference;
  if (from.type !== "TSExternalModuleReference") return;
  const specifier = from.expression.value;
  const typeOnly = statement.importKind === "type";
  names.requests.push({ specifier, node: from.expression, typeOnly, loads: !typeOnly, bare: false });
  names.imports.set(statement.id.name, { specifier, name: "*" });
}

function collectExport(names: NameCollection, statement: ESTree.ExportNamedDeclaration): void {
  if (statement.source) reexport(names, statement.source, statement);
  if (statement.declaration) {
    for (const name of declare(names, statement.declaration)) names.exports.set(name, { kind: "local", name });
  }
  for (const each of statement.specifiers) {
    const name = nameOf(each.local);
    const source = statement.source?.value;
    names.exports.set(
      nameOf(each.exported),
      source === undefined ? { kind: "local", name } : { kind: "from", specifier: source, name },
    );
  }
}

function collectStar(names: NameCollection, statement: ESTree.ExportAllDeclaration): void {
  const specifier = statement.source.value;
  reexport(names, statement.source, statement);
  if (statement.exported) names.exports.set(nameOf(statement.exported), { kind: "from", specifier, name: "*" });
  else names.stars.push(specifier);
}

function reexport(
  { requests }: NameCollection,
  node: ESTree.StringLiteral,
  { exportKind }: ESTree.ExportNamedDeclaration | ESTree.ExportAllDeclaration,
): void {
  const typeOnly = exportKind === "type";
  requests.push({ specifier: node.value, node, typeOnly, loads: !typeOnly, bare: false });
}

function collectDefault(names: NameCollection, statement: ESTree.ExportDefaultDeclaration): void {
  const node = statement.declaration;
  const name = isDeclaration(node) ? declare(names, node)[0] : undefined;
  if (name !== undefined) names.exports.set("default", { kind: "local", name });
  else if (node.type === "Identifier") names.exports.set("default", { kind: "local", name: node.name });
  else if (!isDeclaration(node)) names.exports.set("default", { kind: "expression", node });
}

type DefaultDeclaration = Extract<
  ESTree.ExportDefaultDeclaration["declaration"],
  { type: "FunctionDeclaration" | "TSDeclareFunction" | "ClassDeclaration" | "TSInterfaceDeclaration" }
>;

function isDeclaration(node: ESTree.ExportDefaultDeclaration["declaration"]): node is DefaultDeclaration {
  return ["FunctionDeclaration", "TSDeclareFunction", "ClassDeclaration", "TSInterfaceDeclaration"].includes(node.type);
}

/** Adds the declarations of a statement and returns their names. */
function declare(names: NameCollection, node: ESTree.Node): readonly string[] {
  switch (node.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap((each) => declareVariable(names, node, each));
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return node.id ? add(names, { kind: "function", name: node.id.name, node }) : [];
    case "ClassDeclaration":
      if (node.id) append(names.types, node.id.name, node);
      return node.id ? add(names, { kind: "class", name: node.id.name, node }) : [];
    case "TSEnumDeclaration":
      append(names.types, node.id.name, node);
      return declareEnum(names, node);
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return declareType(names, node.id.name, node);
    case "TSModuleDeclaration":
      return declareNamespace(names, node as ESTree.TSModuleDeclaration);
    default:
      return [];
  }
}

function declareVariable(
  names: NameCollection,
  statement: ESTree.VariableDeclaration,
  node: ESTree.VariableDeclarator,
): readonly string[] {
  const mutable = statement.kind !== "const";
  if (node.id.type === "Identifier") return add(names, { kind: "variable", name: node.id.name, mutable, node });
  return patternNames(node.id).flatMap((name) => add(names, { kind: "pattern", name, mutable, node }));
}

function declareEnum(names: NameCollection, node: ESTree.TSEnumDeclaration): readonly string[] {
  const name = node.id.name;
  const before = names.bindings.get(name);
  return add(names, { kind: "enum", name, nodes: before?.kind === "enum" ? [...before.nodes, node] : [node] });
}

function add(names: NameCollection, binding: Binding): readonly string[] {
  names.bindings.set(binding.name, binding);
  return [binding.name];
}

function declareNamespace(names: NameCollection, node: ESTree.TSModuleDeclaration): readonly string[] {
  const name = node.id.type === "Identifier" ? node.id.name : undefined;
  if (name !== undefined && name !== "global") return declareType(names, name, node);
  const specifier = node.id.type === "Literal" ? node.id.value : undefined;
  if (name !== undefined || specifier !== undefined) names.augmented.push({ specifier, names: [...typesInside(node)] });
  return [];
}

function typesInside({ body }: ESTree.TSModuleDeclaration): Iterable<string> {
  const inside = collectNames({ body: body?.body ?? [] });
  return inside.types.keys();
}

/** Declares a type. A value with the same name takes precedence, because calls and constants refer to it. */
function declareType(names: NameCollection, name: string, node: TypeDeclaration): readonly string[] {
  append(names.types, name, node);
  if (!names.bindings.has(name)) names.bindings.set(name, { kind: "type", name, node });
  return [name];
}

export function patternNames(root: ESTree.Node): readonly string[] {
  return patternIdentifiers(root).map(({ name }) => name);
}

export function patternIdentifiers(root: ESTree.Node): readonly (ESTree.Node & { readonly name: string })[] {
  const identifiers: (ESTree.Node & { readonly name: string })[] = [];
  const waiting: (ESTree.Node | null)[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === null) continue;
    if (node.type === "Identifier") identifiers.push(node);
    else if (node.type === "ObjectPattern") waiting.push(...node.properties);
    else if (node.type === "ArrayPattern") waiting.push(...node.elements);
    else if (node.type === "Property") waiting.push(node.value);
    else if (node.type === "RestElement") waiting.push(node.argument);
    else if (node.type === "AssignmentPattern") waiting.push(node.left);
    else if (node.type === "TSParameterProperty") waiting.push(node.parameter);
  }
  return identifiers;
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}
