import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { exposeDeclarations } from "../generate/expose.ts";
import { grouped } from "../lib/grouped.ts";
import type { App, Declaration as Declared } from "../model/app.ts";
import { declarationKey } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import { placeEdits } from "./runtime-files.ts";
import { edited, type Edit } from "../lib/edits.ts";
import { usageMarker } from "./usage-markers.ts";

export interface Declaration {
  readonly variable: string;
  /** The index of the argument that services drop unless they run the declaration; absent if there is none. */
  readonly code?: number | undefined;
}

export function declarationsByModule({ packages }: App): ReadonlyMap<string, readonly Declaration[]> {
  const all = packages.flatMap(({ declarations }) =>
    declarations.map((declared) => ({ ...declared.declaration, code: codeOf(declared) })),
  );
  return grouped(all, ({ module }) => module);
}

/**
 * Returns the index of the argument that services drop unless they run the declaration. Returns undefined for
 * RequireRole and RequireMember, which have no code, and for tenants and mails, because every service that uses them
 * needs their code.
 */
function codeOf(declared: Declared): number | undefined {
  if (declared.kind === "tenant" || declared.kind === "mail") return undefined;
  if (declared.kind === "policy" && (declared.roles ?? declared.tenant) !== undefined) return undefined;
  const { handler, readStatically } = descriptionOf(declared.kind);
  return handler ?? readStatically;
}

export interface ServiceModuleOptions {
  /** Keys of the declarations whose code the service runs. */
  readonly code: ReadonlySet<string>;
  /** Marks every declaration, so that `usageMarkersIn` finds the declarations in a bundle. */
  readonly mark: boolean;
  /** Variables that generated modules import. */
  readonly exposed: readonly string[];
  /** Specifiers of modules to load before this one, in order, even if the service uses none of their exports. */
  readonly loads?: readonly string[];
}

const pure = "/*@__PURE__*/ ";

/**
 * Rewrites an application's module for a service: removes the code of other services' declarations and makes every
 * unused declaration removable together with its arguments. Keeps line numbers.
 */
export function serviceModule(
  path: string,
  text: string,
  declarations: readonly Declaration[],
  { code, mark, exposed, loads = [] }: ServiceModuleOptions,
): string {
  const byVariable = new Map(declarations.map((declaration) => [declaration.variable, declaration]));
  const { program } = parseSync(path, text, { lang: path.endsWith("x") ? "tsx" : "ts", sourceType: "module" });
  const edits = [...topLevelCalls(program)].flatMap(([variable, call]) => {
    const declaration = byVariable.get(variable);
    if (declaration === undefined) return [];
    const key = declarationKey({ module: path, variable });
    const own = code.has(key) ? [] : removeCode(text, call, declaration);
    return [...own, ...(mark ? markUsage(call, key) : makeRemovable(call, "", ""))];
  });
  const removed = edits.filter(({ start, end }) => end > start);
  const inside = [...placeEdits(path, text, program, mark), ...importEdits(text, program)];
  const remaining = inside.filter((place) => !removed.some((edit) => contains(edit, place)));
  const imports = loads.map((specifier) => `import ${JSON.stringify(specifier)}; `).join("");
  return exposeDeclarations(imports + edited(text, [...edits, ...remaining]), exposed);
}

/** Inlines the specifier of `import(path)` if `path` is a top-level constant: the bundler only follows literals. */
function importEdits(text: string, program: ESTree.Program): readonly Edit[] {
  if (!/\bimport\s*\(/.test(text)) return [];
  const constants = new Map<string, string>();
  for (const [name, value] of topLevelConstants(program)) {
    if (value.type === "Literal" && typeof value.value === "string") constants.set(name, value.value);
  }
  const edits: Edit[] = [];
  new Visitor({
    ImportExpression({ source }) {
      const specifier = source.type === "Identifier" ? constants.get(source.name) : undefined;
      if (specifier !== undefined)
        edits.push({ start: source.start, end: source.end, text: JSON.stringify(specifier) });
    },
  }).visit(program);
  return edits;
}

function* topLevelConstants(program: ESTree.Program): Iterable<readonly [string, ESTree.Expression]> {
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === "Identifier" && init !== null) yield [id.name, unwrap(init)];
  }
}

function* topLevelCalls(program: ESTree.Program): Iterable<readonly [string, ESTree.CallExpression]> {
  for (const statement of program.body) {
    const variables = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (variables?.type !== "VariableDeclaration") continue;
    for (const { id, init } of variables.declarations) {
      const call = init === null ? undefined : unwrap(init);
      if (id.type === "Identifier" && call?.type === "CallExpression") yield [id.name, call];
    }
  }
}

function unwrap(node: ESTree.Expression): ESTree.Expression {
  switch (node.type) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
      return unwrap(node.expression);
    default:
      return node;
  }
}

function removeCode(text: string, call: ESTree.CallExpression, { code }: Declaration): readonly Edit[] {
  const argument = code === undefined ? undefined : call.arguments[code];
  if (argument === undefined) return [];
  const { start, end } = argument;
  return [{ start, end, text: `undefined${text.slice(start, end).replace(/[^\n]/g, "")}` }];
}

function contains({ start, end }: Edit, inner: Edit): boolean {
  return start <= inner.start && inner.end <= end;
}

/**
 * Makes an unused call removable for the bundler. The wrapping function removes the arguments, too: the property read
 * in `Subscribe(files.uploaded, …)` would otherwise remain as a statement. A call with `await` cannot be wrapped.
 */
function makeRemovable(call: ESTree.CallExpression, open: string, close: string): readonly Edit[] {
  const [head, tail] = hasTopLevelAwait(call) ? [pure, ""] : [`${pure}(() => `, ")()"];
  return [
    { start: call.start, end: call.start, text: head + open },
    { start: call.end, end: call.end, text: close + tail },
  ];
}

/** True for a call with an `await` outside of nested functions. */
function hasTopLevelAwait(call: ESTree.CallExpression): boolean {
  const functions = new Set(["ArrowFunctionExpression", "FunctionExpression"]);
  const others = call.arguments.filter(({ type }) => !functions.has(type));
  let hasAwait = false;
  let depth = 0;
  const enter = (): void => void (depth += 1);
  const leave = (): void => void (depth -= 1);
  new Visitor({
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    AwaitExpression: () => void (hasAwait ||= depth === 0),
  }).visit({
    type: "Program",
    body: [{ type: "ExpressionStatement", expression: { ...call, arguments: others } }],
  } as never);
  return hasAwait;
}

function markUsage(call: ESTree.CallExpression, key: string): readonly Edit[] {
  return makeRemovable(call, usageMarker(key, pure).slice(0, -1), ")");
}
