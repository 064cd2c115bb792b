import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { exposeDeclarations } from "../generate/expose.ts";
import { grouped } from "../lib/grouped.ts";
import type { App, Declaration as Declared } from "../model/app.ts";
import { declarationKey } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import { placeEdits } from "./runtime-files.ts";
import { edited, type Edit } from "../lib/edits.ts";
import { usageMarker } from "./usage-markers.ts";

/** A declaration as a build sees it. */
export interface Declaration {
  readonly variable: string;
  /** Index of the argument that only the service has whose code it is; absent where there is none. */
  readonly code?: number | undefined;
}

/** Every declaration of an application, by its module. */
export function declarationsByModule({ packages }: App): ReadonlyMap<string, readonly Declaration[]> {
  const all = packages.flatMap(({ declarations }) =>
    declarations.map((declared) => ({ ...declared.declaration, code: codeOf(declared) })),
  );
  return grouped(all, ({ module }) => module);
}

/** A RequireRole has roles where a Policy has its function. */
function codeOf(declared: Declared): number | undefined {
  if (declared.kind === "policy" && declared.roles !== undefined) return undefined;
  const { handler, readStatically } = descriptionOf(declared.kind);
  return handler ?? readStatically;
}

export interface ServiceModuleOptions {
  /** Keys of the declarations whose code the service runs. */
  readonly code: ReadonlySet<string>;
  /** True to mark every declaration, so that `usageMarkersIn` tells which are still in a bundle. */
  readonly mark: boolean;
  /** Variables that generated modules import. */
  readonly exposed: readonly string[];
  /**
   * Specifiers of the modules to load before this one, in order, even where the service has no code that uses their
   * names.
   */
  readonly loads?: readonly string[];
}

const pure = "/*@__PURE__*/ ";

/**
 * The text of an application's module as a service has it: declarations of other services have lost their code, and every
 * declaration goes where nothing uses it, together with its arguments. Lines keep their numbers.
 */
export function serviceModule(
  path: string,
  text: string,
  declarations: readonly Declaration[],
  { code, mark, exposed, loads = [] }: ServiceModuleOptions,
): string {
  const known = new Map(declarations.map((declaration) => [declaration.variable, declaration]));
  const { program } = parseSync(path, text, { lang: path.endsWith("x") ? "tsx" : "ts", sourceType: "module" });
  const edits = [...topLevelCalls(program)].flatMap(([variable, call]) => {
    const declaration = known.get(variable);
    if (declaration === undefined) return [];
    const key = declarationKey({ module: path, variable });
    const own = code.has(key) ? [] : codeRemoved(text, call, declaration);
    return [...own, ...(mark ? marked(call, key) : removable(call, "", ""))];
  });
  const removed = edits.filter(({ start, end }) => end > start);
  const inside = [...placeEdits(path, text, program, mark), ...importEdits(text, program)];
  const remaining = inside.filter((place) => !removed.some((edit) => holds(edit, place)));
  const imports = loads.map((specifier) => `import ${JSON.stringify(specifier)}; `).join("");
  return exposeDeclarations(imports + edited(text, [...edits, ...remaining]), exposed);
}

/**
 * Writes the specifier of `import(path)` out where `path` is a constant of the top level: the bundler follows
 * literals only.
 */
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

/** The calls that variables of the top level hold. */
function* topLevelCalls(program: ESTree.Program): Iterable<readonly [string, ESTree.CallExpression]> {
  for (const statement of program.body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declared.declarations) {
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

function codeRemoved(text: string, call: ESTree.CallExpression, { code }: Declaration): readonly Edit[] {
  const argument = code === undefined ? undefined : call.arguments[code];
  if (argument === undefined) return [];
  const { start, end } = argument;
  return [{ start, end, text: `undefined${text.slice(start, end).replace(/[^\n]/g, "")}` }];
}

function holds({ start, end }: Edit, inner: Edit): boolean {
  return start <= inner.start && inner.end <= end;
}

/**
 * Lets the bundler drop a call that nothing uses. Inside a function its arguments go with it: the property that
 * `Subscribe(files.uploaded, …)` reads would stay behind as a statement of its own. What awaits cannot be in a
 * function.
 */
function removable(call: ESTree.CallExpression, open: string, close: string): readonly Edit[] {
  const [head, tail] = awaits(call) ? [pure, ""] : [`${pure}(() => `, ")()"];
  return [
    { start: call.start, end: call.start, text: head + open },
    { start: call.end, end: call.end, text: close + tail },
  ];
}

/** True for a call with an `await` outside of its functions. */
function awaits(call: ESTree.CallExpression): boolean {
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

function marked(call: ESTree.CallExpression, key: string): readonly Edit[] {
  return removable(call, usageMarker(key, pure).slice(0, -1), ")");
}
