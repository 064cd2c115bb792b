import type { ESTree } from "rolldown/utils";
import { basename, dirname, join, relative } from "node:path/posix";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { constantOf } from "../resolution/constant.ts";
import { keyOf, quote, unwrap } from "../source/expression.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { symbolsOf } from "../symbols/table.ts";
import { loadedBy } from "../uses/targets.ts";

/**
 * Reports dynamic imports with a specifier that a bundler cannot resolve: a built service would lack the module and the
 * grants for what it uses.
 */
export function computedImports(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const computed = modules.flatMap(({ module }) =>
    symbolsOf(module)
      .loads.filter(({ source }) => mayBeFile(source) && !isConstantOf(module, source))
      .map((node) => ({ module, node })),
  );
  if (computed.length === 0) return [];
  const reachable = reachableModules(project, modules);
  return computed
    .filter(({ module }) => reachable.has(module.path))
    .map(({ module, node: { source } }) => ({
      code: "import",
      at: spanOf(module, source),
      message: `${quote(module, source)} is computed, so a built service would not contain the module`,
      hint: hintFor(project, module, source),
    }));
}

/** Returns the modules with declarations and all modules that they import, statically or dynamically. */
function reachableModules(project: Project, modules: readonly DeclaredModule[]): ReadonlySet<string> {
  const byPath = new Map(modules.map(({ module }) => [module.path, module]));
  const reachable = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  for (const path of reachable) {
    const module = byPath.get(path);
    if (module === undefined) continue;
    for (const next of importedBy(project, module).all) reachable.add(next);
    for (const { source } of symbolsOf(module).loads) {
      const target = loadedBy(project, module, source);
      if (target) reachable.add(target.path);
    }
  }
  return reachable;
}

/** False for a literal, which bundlers resolve, and for a package, a URL or an absolute path. */
function mayBeFile(source: ESTree.Expression): boolean {
  const node = unwrap(source);
  if (isLiteral(node)) return false;
  if (node.type === "MemberExpression" && keyOf(node) === "href") return false;
  if (node.type === "CallExpression" && absolute.has(calledName(node))) return false;
  const start = literalStart(node);
  return start === "" || start.startsWith(".");
}

/** True for a string constant of the module, which the build inlines. */
function isConstantOf(module: SourceModule, source: ESTree.Expression): boolean {
  const binding = source.type === "Identifier" ? module.bindings.get(source.name) : undefined;
  const init = binding?.kind === "variable" && !binding.mutable ? binding.node.init : undefined;
  const value = init && unwrap(init);
  return value?.type === "Literal" && typeof value.value === "string";
}

/** Functions that return URLs and absolute paths: `pathToFileURL`, `import.meta.resolve`, `url.toString`. */
const absolute: ReadonlySet<string | undefined> = new Set(["pathToFileURL", "resolve", "toString"]);

function calledName({ callee }: ESTree.CallExpression): string | undefined {
  const node = unwrap(callee);
  return node.type === "Identifier" ? node.name : node.type === "MemberExpression" ? keyOf(node) : undefined;
}

function isLiteral(node: ESTree.Node): boolean {
  if (node.type === "BinaryExpression")
    return node.operator === "+" && isLiteral(unwrap(node.left)) && isLiteral(unwrap(node.right));
  return node.type === "Literal" || (node.type === "TemplateLiteral" && node.expressions.length === 0);
}

function literalStart(node: ESTree.Node): string {
  if (node.type === "TemplateLiteral") return node.quasis[0]?.value.cooked ?? "";
  if (node.type === "BinaryExpression") return literalStart(unwrap(node.left));
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

function literalEnd(node: ESTree.Node): string {
  if (node.type === "TemplateLiteral") return node.quasis.at(-1)?.value.cooked ?? "";
  if (node.type === "BinaryExpression") return literalEnd(unwrap(node.right));
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

const mostNames = 3;

function hintFor(project: Project, module: SourceModule, source: ESTree.Expression): string {
  const constant = constantOf(project, module, source);
  if (constant.ok && typeof constant.value === "string") return `write import(${JSON.stringify(constant.value)})`;
  const names = matchingModules(project, module, unwrap(source)).slice(0, mostNames);
  const [first = "./a.ts", second = "./b.ts"] = names;
  const table = [first, second].map((path) => `${nameOf(path)}: () => import(${JSON.stringify(path)})`).join(", ");
  return `write an import() for each module and choose by name: ({ ${table} })[name]()`;
}

function nameOf(path: string): string {
  const name = basename(path).replace(/\.\w+$/, "");
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/**
 * Lists the application's modules that match the literal start and end of a specifier, as specifiers; none if the start
 * contains no slash.
 */
function matchingModules(project: Project, module: SourceModule, node: ESTree.Node): readonly string[] {
  const [start, end] = [literalStart(node), literalEnd(node)];
  if (!start.includes("/")) return [];
  const dir = dirname(module.path);
  const prefix = join(dir, start.endsWith("/") ? `${start}x` : start).replace(/x$/, start.endsWith("/") ? "" : "x");
  return project
    .files()
    .filter((path) => path.startsWith(prefix) && path.endsWith(end) && path !== module.path)
    .map((path) => {
      const specifier = relative(dir, path);
      return specifier.startsWith("../") ? specifier : `./${specifier}`;
    });
}
