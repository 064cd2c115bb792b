import type { ESTree } from "rolldown/utils";
import type { App } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import { declarationKinds, descriptionOf, type DeclarationKind } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import type { MachineTime } from "../readers/machine-time.ts";
import { isFunction, quote, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { scopeOf } from "../symbols/scope.ts";
import type { NodePath } from "../symbols/table.ts";
import { calleesOf, functionOf } from "../uses/callees.ts";
import type { Graph } from "../uses/graph.ts";
import { partsOf } from "../uses/parts.ts";
import { reachedParts } from "../uses/reached-parts.ts";
import { targetsOf } from "../uses/targets.ts";
import { clockReads, functionAround, type ClockRead } from "./clock-reads.ts";
import { namesIn, usesOf } from "./names.ts";
import { TimeFlow, type FlowSources, type TimeUse } from "./time-flow.ts";

/** A clock read whose time affects stored data, messages or responses. */
interface DecidingRead {
  readonly module: SourceModule;
  readonly read: ClockRead;
  readonly use: TimeUse;
}

/**
 * Finds clock reads whose time reaches data, a message, a response or a comparison, in code that a handler can call.
 */
export function machineTimes(
  project: Project,
  app: App,
  modules: readonly DeclaredModule[],
  graph: () => Graph,
): readonly MachineTime[] {
  const reads = project.modules().flatMap((module) => clockReads(module).map((read) => ({ module, read })));
  if (reads.length === 0) return [];
  const sources = flowSources(project, modules);
  const deciding = reads.flatMap(({ module, read }): readonly DecidingRead[] => {
    const use = new TimeFlow(sources).follow({ module, ...read, keys: [] });
    return use ? [{ module, read, use }] : [];
  });
  if (deciding.length === 0) return [];
  const isReached = reachedParts(graph(), app.packages);
  return deciding.flatMap(({ module, read, use }) => {
    const part = partsOf(module).findIndex(({ node }) => node.start <= read.node.start && read.node.end <= node.end);
    return part !== -1 && isReached(module.path, part) ? [machineTime(sources, module, read, use)] : [];
  });
}

function flowSources(project: Project, modules: readonly DeclaredModule[]): FlowSources {
  const handlers = new Map<FunctionNode, HandlerOf>();
  const kinds = new Map<string, DeclarationKind>();
  for (const { module, declared } of modules) {
    for (const { call } of declared) {
      const kind = declarationKinds[call.name];
      const node = call.call.arguments[descriptionOf(kind).handler ?? call.call.arguments.length];
      const handler = node && functionOf(project, { module, node, scope: undefined });
      if (handler) handlers.set(handler.fn, { kind, name: call.variable ?? kind });
      if (call.variable !== undefined)
        kinds.set(declarationKey({ module: module.path, variable: call.variable }), kind);
    }
  }
  return {
    project,
    isDeclaration: (key) => kinds.has(key),
    isHandler: (fn) => handlers.has(fn),
    answering: (fn) => nameOfAnswer(handlers.get(fn)),
    isEntityCall: (module, call, scope) =>
      calleesOf(project, module, { call, index: 0, scope }).some(
        (callee) => callee.kind === "binding" && kinds.get(callee.key) === "entity",
      ),
    callsOf: (module, name) => callsOf(project, module, name),
  };
}

interface HandlerOf {
  readonly kind: DeclarationKind;
  readonly name: string;
}

function nameOfAnswer(handler: HandlerOf | undefined): string | undefined {
  return handler?.kind === "api" || handler?.kind === "page" ? handler.name : undefined;
}

/** Lists the uses of a top-level function in its module and in modules that import it. */
function callsOf(project: Project, owner: SourceModule, name: string): ReturnType<FlowSources["callsOf"]> {
  const key = declarationKey({ module: owner.path, variable: name });
  return project.modules().flatMap((module) =>
    namesIn(module).topLevel.flatMap((use) => {
      const { node } = use;
      if (node.type !== "Identifier" || (module === owner ? node.name !== name : !module.imports.has(node.name)))
        return [];
      const targets = module === owner ? [] : targetsOf(project, module, { root: node.name, keys: [] });
      const isSame =
        module === owner ||
        targets.some((target) => declarationKey({ module: target.module, variable: target.name }) === key);
      return isSame ? [{ ...use, module }] : [];
    }),
  );
}

function machineTime(sources: FlowSources, module: SourceModule, read: ClockRead, use: TimeUse): MachineTime {
  const context = contextAround(sources, module, read.around);
  const fn = context === undefined ? functionAround(read.around)?.node : undefined;
  return {
    text: quote(module, read.node),
    at: spanOf(module, read.node),
    use: use.use,
    usedAt: spanOf(use.module, use.node),
    replacement: `${context ?? "ctx"}.now()${read.form === "number" ? ".getTime()" : ""}`,
    context,
    parameters: fn && isFunction(fn) && sources.isHandler(fn) ? emptyParameters(module, fn) : undefined,
  };
}

/** Returns the name of the context in scope at a clock read; undefined if there is none. */
function contextAround(sources: FlowSources, module: SourceModule, around: NodePath): string | undefined {
  for (let at: NodePath | undefined = around; at; at = at.parent) {
    const { node } = at;
    const first = isFunction(node) ? node.params[0] : undefined;
    if (!isFunction(node) || first?.type !== "Identifier") continue;
    const owner = namesIn(module).functions.get(node);
    const scope = namesIn(module).functions.get(around.node) ?? around.scope;
    if (scopeOf(scope, first.name) !== owner) continue;
    if (sources.isHandler(node) || isTypedContext(first) || isPassedOn(sources, module, node, first.name))
      return first.name;
  }
  return undefined;
}

function isTypedContext({ typeAnnotation }: { readonly typeAnnotation?: ESTree.TSTypeAnnotation | null }): boolean {
  const type = typeAnnotation?.typeAnnotation;
  return type?.type === "TSTypeReference" && type.typeName.type === "Identifier" && type.typeName.name === "Context";
}

/**
 * True if a function passes the parameter `name` to a declaration's operation as the first argument, so that the
 * parameter is a context.
 */
function isPassedOn(sources: FlowSources, module: SourceModule, fn: FunctionNode, name: string): boolean {
  const uses = usesOf(module, namesIn(module).functions.get(fn), name);
  return uses.some(({ node, step, scope }) => {
    const call = step.node;
    if (call.type !== "CallExpression" || call.arguments[0] !== node) return false;
    const callees = calleesOf(sources.project, module, { call, index: 0, scope });
    return callees.some((callee) => callee.kind === "binding" && sources.isDeclaration(callee.key));
  });
}

/**
 * Locates the inside of an arrow function's empty parameter list, where the fix can add `ctx`; undefined if there is no
 * such list or the function already contains that name.
 */
function emptyParameters(module: SourceModule, fn: FunctionNode): MachineTime["parameters"] {
  if (/\bctx\b/.test(module.text.slice(fn.start, fn.end))) return undefined;
  const start = module.text.indexOf("()", fn.start);
  const isEmpty = fn.type === "ArrowFunctionExpression" && fn.params.length === 0 && fn.body !== null;
  return isEmpty && start !== -1 && start < fn.body.start
    ? spanOf(module, { start: start + 1, end: start + 1 })
    : undefined;
}
