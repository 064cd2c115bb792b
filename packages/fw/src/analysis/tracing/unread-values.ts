import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { ESTree } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import type { Question } from "../checker/question.ts";
import type { DeclaredModule } from "../declared.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { questionOf } from "../schema/reading.ts";
import { memberRoot, quote, unfrozen, unwrap } from "../source/expression.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { SourceModule } from "../source/module.ts";
import { patternIdentifiers } from "../source/names.ts";
import { spanOf } from "../source/position.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { isFramework, isRelative } from "../source/resolve.ts";

/** A value of the top level that code makes or that a package has, so that only its type tells whether it is a declaration. */
interface Made {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
  /** The package that it is imported from; absent for what code of the module makes. */
  readonly from?: string;
}

/** Finds declarations that the source does not show and TypeScript knows: what code of others makes, or what is taken out of it. */
export class UnreadValues {
  readonly #project: OpenProject;
  readonly #made: ModuleCache<readonly Made[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#made = new ModuleCache(project);
  }

  async read(
    checker: Checker,
    modules: readonly DeclaredModule[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Diagnostic[]> {
    const made = modules.flatMap((each) => this.#made.of(each, () => madeIn(this.#project, each)));
    if (made.length === 0 || signal?.aborted) return [];
    const names = await checker.declarationsAt(made.map(question));
    return made.flatMap((each, index) => {
      const name = names[index];
      if (name === undefined) return [];
      return name === "any" ? untyped(this.#project, each) : [unread(each, name)];
    });
  }
}

/** Of a name TypeScript tells the type without reading the file's nodes. */
function question({ module, node }: Made): Question {
  const { path, start, end } = questionOf(module, node);
  return node.type === "Identifier" ? { path, start } : { path, start, ...(end === undefined ? {} : { end }) };
}

function unread({ module, node }: Made, type: string): Diagnostic {
  return {
    code: "fw/not-traced",
    at: spanOf(module, node),
    message: `${quote(module, node)} has the type ${type}, and fw cannot see in the source what it declares`,
    hint: "declare it here: import the functions of fw from fw itself, and call them by their names",
  };
}

/** What has no type tells nothing, unless it comes from a package that is built on fw. */
function untyped(project: Project, { module, node, from }: Made): readonly Diagnostic[] {
  if (from === undefined || !dependsOnFramework(project, from)) return [];
  return [
    {
      code: "fw/not-traced",
      at: spanOf(module, node),
      message: `${quote(module, node)} has the type any and comes from a package that is built on fw, which cannot see what is declared with it`,
      hint: "import the functions of fw from fw itself, or give the package types",
    },
  ];
}

/** True for a package whose package.json names fw. */
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

function madeIn(project: Project, { module, declared }: DeclaredModule): readonly Made[] {
  const known = new Set<ESTree.Node>(declared.map(({ call }) => call.call));
  const found = module.program.body.flatMap((statement) => madeBy(project, module, known, statement));
  return [...importedOf(project, module), ...found.map((node) => ({ module, node }))];
}

/** The names that a module imports from packages, by which it has what they declare. */
function importedOf(project: Project, module: SourceModule): readonly Made[] {
  return module.program.body.flatMap((statement): readonly Made[] => {
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

type Known = ReadonlySet<ESTree.Node>;

function madeBy(project: Project, module: SourceModule, known: Known, statement: ESTree.Node): readonly ESTree.Node[] {
  const values = (node: ESTree.Node): readonly ESTree.Node[] => valuesIn(project, module, known, node);
  switch (statement.type) {
    case "ExportNamedDeclaration":
      return statement.declaration ? madeBy(project, module, known, statement.declaration) : [];
    case "ExportDefaultDeclaration":
      return values(statement.declaration);
    case "ExpressionStatement": {
      const { expression } = statement;
      return values(expression.type === "AssignmentExpression" ? expression.right : expression);
    }
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id, init }) => {
        const found = init ? values(init) : [];
        const isWhole = found.length === 1 && init && found[0] === unwrap(init);
        return isWhole && !id.typeAnnotation ? patternIdentifiers(id) : found;
      });
    default:
      return [];
  }
}

/** Literals and choices inside each other that are still looked into. */
const deepest = 20;

/** The parts of an expression that are neither read as declarations nor names of what is written elsewhere in the application. */
function valuesIn(
  project: Project,
  module: SourceModule,
  known: Known,
  node: ESTree.Node,
  depth = 0,
): readonly ESTree.Node[] {
  const bare = unfrozen(module, node);
  const inside = (each: ESTree.Node | null): readonly ESTree.Node[] =>
    each === null || depth >= deepest ? [] : valuesIn(project, module, known, each, depth + 1);
  switch (bare.type) {
    case "CallExpression":
    case "NewExpression":
    case "AwaitExpression":
    case "TaggedTemplateExpression":
      return known.has(bare) || isOfLanguage(module, bare) ? [] : [bare];
    case "MemberExpression":
      return isOfOthers(project, module, bare) ? [bare] : [];
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

/** True for what the language or Node makes, which declares nothing: `new Map()`, `JSON.parse(…)`. */
function isOfLanguage(module: SourceModule, node: ESTree.Node): boolean {
  let root = node;
  for (;;) {
    if (root.type === "CallExpression" || root.type === "NewExpression") root = unwrap(root.callee);
    else if (root.type === "MemberExpression") root = unwrap(root.object);
    else break;
  }
  if (root.type !== "Identifier" || module.bindings.has(root.name) || module.imports.has(root.name)) return false;
  return root.name in globalThis && !passing.has(root.name);
}

/** Names of the language by which a value comes out as it went in, or that may hold anything. */
const passing: ReadonlySet<string> = new Set(["globalThis", "global", "Object", "Reflect"]);

/** True for a member of what no literal, module or enum of the application holds. */
function isOfOthers(project: Project, module: SourceModule, member: ESTree.MemberExpression): boolean {
  if (isOfLanguage(module, member)) return false;
  const found = new ReferenceResolver(project).resolve(module, memberRoot(member));
  if (found.kind !== "expression") return found.kind === "unresolved";
  return !["ObjectExpression", "ArrayExpression"].includes(unfrozen(found.module, found.node).type);
}
