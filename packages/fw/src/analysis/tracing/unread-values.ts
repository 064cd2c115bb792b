import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { ESTree } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import type { Question } from "../checker/question.ts";
import type { DeclaredModule } from "../declared.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { questionOf } from "../schema/type-reading.ts";
import { memberRoot, quote, unwrapFrozen, unwrap } from "../source/expression.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { SourceModule } from "../source/module.ts";
import { patternIdentifiers } from "../source/names.ts";
import { spanOf } from "../source/position.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { isFramework, isRelative } from "../source/resolve.ts";

/** A top-level value that code computes or a package exports. Only its type shows whether it is a declaration. */
interface OpaqueValue {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
  /** The package that exports it; absent for computed values. */
  readonly from?: string;
}

/** Reports declarations that only TypeScript can find, because a package exports them or code computes them. */
export class UnreadValues {
  readonly #project: OpenProject;
  readonly #values: ModuleCache<readonly OpaqueValue[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#values = new ModuleCache(project);
  }

  async read(
    checker: Checker,
    modules: readonly DeclaredModule[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Diagnostic[]> {
    const values = modules.flatMap((each) => this.#values.of(each, () => opaqueValuesIn(this.#project, each)));
    if (values.length === 0 || signal?.aborted) return [];
    const names = await checker.declarationsAt(values.map(typeQuestion));
    return values.flatMap((each, index) => {
      const name = names[index];
      if (name === undefined || name === "EntityQuery") return [];
      return name === "any" ? untypedValue(this.#project, each) : [hiddenDeclaration(each, name)];
    });
  }
}

/** Creates the question about a value's type. Omits an identifier's end, so TypeScript sends no nodes of the file. */
function typeQuestion({ module, node }: OpaqueValue): Question {
  const { path, start, end } = questionOf(module, node);
  return node.type === "Identifier" ? { path, start } : { path, start, ...(end === undefined ? {} : { end }) };
}

function hiddenDeclaration({ module, node }: OpaqueValue, type: string): Diagnostic {
  return {
    code: "fw/not-traced",
    at: spanOf(module, node),
    message: `${quote(module, node)} has the type ${type}, but fw cannot find the declaration in the source`,
    hint: "declare it here: import the functions of fw from fw, and call them by name",
  };
}

/** Reports a value of type `any` only for packages that depend on fw, because the type proves nothing. */
function untypedValue(project: Project, { module, node, from }: OpaqueValue): readonly Diagnostic[] {
  if (from === undefined || !dependsOnFramework(project, from)) return [];
  return [
    {
      code: "fw/not-traced",
      at: spanOf(module, node),
      message: `${quote(module, node)} has the type any and comes from a package that is built on fw, so fw cannot find what it declares`,
      hint: "import the functions of fw from fw, or add types to the package",
    },
  ];
}

/** True for a package whose package.json depends on fw. */
function dependsOnFramework(project: Project, specifier: string): boolean {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  try {
    const text = readFileSync(join(project.root, "node_modules", name, "package.json"), "utf8");
    const { dependencies, peerDependencies } = JSON.parse(text) as Readonly<Record<string, object | undefined>>;
    return [dependencies, peerDependencies].some((each) => each !== undefined && Object.hasOwn(each, "fw"));
  } catch {
    return false;
  }
}

function opaqueValuesIn(project: Project, { module, declared }: DeclaredModule): readonly OpaqueValue[] {
  const declarations = new Set<ESTree.Node>(declared.map(({ call }) => call.call));
  const nodes = module.program.body.flatMap((statement) => opaqueNodesOf(project, module, declarations, statement));
  return [...packageImports(project, module), ...nodes.map((node) => ({ module, node }))];
}

function packageImports(project: Project, module: SourceModule): readonly OpaqueValue[] {
  return module.program.body.flatMap((statement): readonly OpaqueValue[] => {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return [];
    const from = statement.source.value;
    const isPackage = !isRelative(from) && !isFramework(from) && !isBuiltin(from);
    if (!isPackage || project.resolve(module.path, from) !== undefined) return [];
    return statement.specifiers.flatMap((each) => {
      if (each.type === "ImportNamespaceSpecifier") return [];
      return each.type === "ImportSpecifier" && each.importKind === "type" ? [] : [{ module, node: each.local, from }];
    });
  });
}

type DeclarationNodes = ReadonlySet<ESTree.Node>;

function opaqueNodesOf(
  project: Project,
  module: SourceModule,
  declarations: DeclarationNodes,
  statement: ESTree.Node,
): readonly ESTree.Node[] {
  const values = (node: ESTree.Node): readonly ESTree.Node[] => opaqueNodesIn(project, module, declarations, node);
  switch (statement.type) {
    case "ExportNamedDeclaration":
      return statement.declaration ? opaqueNodesOf(project, module, declarations, statement.declaration) : [];
    case "ExportDefaultDeclaration":
      return values(statement.declaration);
    case "ExpressionStatement": {
      const { expression } = statement;
      return values(expression.type === "AssignmentExpression" ? expression.right : expression);
    }
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id, init }) => {
        const nodes = init ? values(init) : [];
        const isWhole = nodes.length === 1 && init && nodes[0] === unwrap(init);
        return isWhole && !id.typeAnnotation ? patternIdentifiers(id) : nodes;
      });
    default:
      return [];
  }
}

/** Maximum depth of nested literals and conditional expressions to search. */
const maxDepth = 20;

/** Returns the opaque parts of an expression, such as calls that are not declarations. */
function opaqueNodesIn(
  project: Project,
  module: SourceModule,
  declarations: DeclarationNodes,
  node: ESTree.Node,
  depth = 0,
): readonly ESTree.Node[] {
  const bare = unwrapFrozen(module, node);
  const inside = (each: ESTree.Node | null): readonly ESTree.Node[] =>
    each === null || depth >= maxDepth ? [] : opaqueNodesIn(project, module, declarations, each, depth + 1);
  switch (bare.type) {
    case "CallExpression":
    case "NewExpression":
    case "AwaitExpression":
    case "TaggedTemplateExpression":
      return declarations.has(bare) || isGlobalValue(module, bare) ? [] : [bare];
    case "MemberExpression":
      return isOpaqueMember(project, module, bare) ? [bare] : [];
    case "ConditionalExpression":
      return [...inside(bare.consequent), ...inside(bare.alternate)];
    case "LogicalExpression":
      return [...inside(bare.left), ...inside(bare.right)];
    case "ObjectExpression":
      return bare.properties.flatMap((each) => inside(each.type === "SpreadElement" ? null : each.value));
    case "ArrayExpression":
      return bare.elements.flatMap((each) => inside(each?.type === "SpreadElement" ? null : each));
    default:
      return [];
  }
}

/** True for values that the language or Node creates, which declare nothing: `new Map()`, `JSON.parse(…)`. */
function isGlobalValue(module: SourceModule, node: ESTree.Node): boolean {
  let root = node;
  for (;;) {
    if (root.type === "CallExpression" || root.type === "NewExpression") root = unwrap(root.callee);
    else if (root.type === "MemberExpression") root = unwrap(root.object);
    else break;
  }
  if (root.type !== "Identifier" || module.bindings.has(root.name) || module.imports.has(root.name)) return false;
  return root.name in globalThis && !opaqueGlobals.has(root.name);
}

/** Globals that return their argument or may hold anything. */
const opaqueGlobals: ReadonlySet<string> = new Set(["globalThis", "global", "Object", "Reflect"]);

/** True for a member of a value that is not a literal, module or enum of the application. */
function isOpaqueMember(project: Project, module: SourceModule, member: ESTree.MemberExpression): boolean {
  if (isGlobalValue(module, member)) return false;
  const referent = new ReferenceResolver(project).resolve(module, memberRoot(member));
  if (referent.kind !== "expression") return referent.kind === "unresolved";
  return !["ObjectExpression", "ArrayExpression"].includes(unwrapFrozen(referent.module, referent.node).type);
}
