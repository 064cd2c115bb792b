import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import type { App, DeclarationRef } from "../../model/app.ts";
import type { DeclaredCall, DeclaredModule } from "../declared.ts";
import type { RawCall } from "../readers/raw-call.ts";
import { isEndpoint } from "../rules/select.ts";
import { isExported } from "../source/exports.ts";
import { quote, unwrapFrozen } from "../source/expression.ts";
import { directoryOf } from "../source/files.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { chainOf, originOf } from "../symbols/alias.ts";
import type { Graph } from "./graph.ts";
import { partsOf } from "./parts.ts";
import { reachedParts } from "./reached-parts.ts";
import type { PartReference } from "./references.ts";
import { targetsOf, type Target } from "./targets.ts";

/** An endpoint's handler function that other modules can import. */
interface SharedHandler {
  readonly key: string;
  readonly path: string;
  readonly endpoint: DeclarationRef;
}

/** A call of a top-level binding, or a call that passes one on. */
interface CandidateCall extends Pick<RawCall, "text" | "at" | "isCalled"> {
  readonly key: string;
  /** Path of the module, and the index of its part. */
  readonly path: string;
  readonly part: number;
}

/**
 * Finds calls of handlers from other packages, which bypass the endpoint. Only handlers that are visible outside their
 * module matter.
 */
export class RawCalls {
  readonly #project: OpenProject;
  readonly #handlers: ModuleCache<readonly SharedHandler[]>;
  readonly #calls: ModuleCache<readonly CandidateCall[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#handlers = new ModuleCache(project);
    this.#calls = new ModuleCache(project);
  }

  read(app: App, modules: readonly DeclaredModule[], graph: () => Graph): readonly RawCall[] {
    const handlers = grouped(
      modules.flatMap((module) => this.#handlersIn(module)),
      ({ key }) => key,
    );
    if (handlers.size === 0) return [];
    const paths = [...handlers.values()].flatMap((same) => same.map(({ path }) => path));
    return this.#callers(paths)
      .flatMap((module) => this.#calls.of(module, () => callsIn(this.#project, module)))
      .flatMap((call) => {
        const owners = handlers.get(call.key) ?? [];
        const [first] = owners;
        return first && isForeign(app, call, owners, graph) ? rawCall(call, first) : [];
      });
  }

  #handlersIn(module: DeclaredModule): readonly SharedHandler[] {
    if (!module.declared.some(({ read }) => read && isEndpoint(read))) return [];
    return this.#handlers.of(module, () =>
      module.declared.flatMap((declaration) => handlersOf(this.#project, declaration)),
    );
  }

  /** Returns the modules at `paths`, all modules that import them, and all modules with a dynamic import. */
  #callers(paths: readonly string[]): readonly SourceModule[] {
    const importers = importersOf(this.#project, paths);
    return this.#project.modules().filter(({ path, text }) => importers.has(path) || /\bimport\s*\(/.test(text));
  }
}

function handlersOf(project: OpenProject, { call: { module, call }, read }: DeclaredCall): readonly SharedHandler[] {
  const argument = call.arguments[1];
  const chain = argument && chainOf(argument);
  if (!read || !isEndpoint(read) || chain?.root.type !== "Identifier") return [];
  const { root, keys } = chain;
  const targets = targetsOf(project, module, { root: root.name, keys });
  return targets.flatMap((target) => {
    const path = target.module;
    const owner = project.module(path);
    const isVisible = owner !== undefined && isVisibleOutside(owner, target.name);
    return isVisible ? [{ key: keyOf(target), path, endpoint: read.declaration }] : [];
  });
}

/** True for a binding that its module exports, or whose name occurs in an exported literal. */
function isVisibleOutside(module: SourceModule, name: string): boolean {
  if (name === "default" || isExported(module, name)) return true;
  return exportedValues(module).some((node) => {
    const literal = unwrapFrozen(module, node);
    return literal.type === "ObjectExpression" && module.text.slice(literal.start, literal.end).includes(name);
  });
}

function exportedValues(module: SourceModule): readonly ESTree.Node[] {
  return [...module.exports.values()].flatMap((exported) => {
    if (exported.kind === "expression") return [exported.node];
    const binding = exported.kind === "local" ? module.bindings.get(exported.name) : undefined;
    return binding?.kind === "variable" && binding.node.init ? [binding.node.init] : [];
  });
}

const invocations: ReadonlySet<string | undefined> = new Set(["call", "apply"]);

function keyOf({ module, name, keys }: Target): string {
  const read = invocations.has(keys.at(-1)) ? keys.slice(0, -1) : keys;
  return `${module}#${[name, ...read].join(".")}`;
}

function callsIn(project: OpenProject, module: SourceModule): readonly CandidateCall[] {
  return partsOf(module).flatMap(({ references }, part) =>
    references
      .filter(({ isCalled, passedTo }) => isCalled || (passedTo && !isDeclaring(project, module, passedTo)))
      .flatMap((reference) => {
        const { node, isCalled } = reference;
        const place = { text: quote(module, node), at: spanOf(module, node), path: module.path, part, isCalled };
        const targets = targetsOf(project, module, reference).filter(({ name }) => name !== "");
        return targets.map((target): CandidateCall => ({ ...place, key: keyOf(target) }));
      }),
  );
}

/**
 * True if the caller's package has no endpoint with this handler. Code outside packages belongs to the packages that
 * reach it.
 */
function isForeign(app: App, call: CandidateCall, owners: readonly SharedHandler[], graph: () => Graph): boolean {
  const dirs = new Set(owners.map(({ endpoint }) => directoryOf(endpoint.module)));
  const dir = directoryOf(call.path);
  if (app.packages.some((pkg) => pkg.dir === dir)) return !dirs.has(dir);
  const others = app.packages.filter((pkg) => !dirs.has(pkg.dir));
  return reachedParts(graph(), others)(call.path, call.part);
}

/** True for a call of one of fw's functions, such as a declaration with its handler. */
function isDeclaring(
  project: Project,
  module: SourceModule,
  { call, scope }: NonNullable<PartReference["passedTo"]>,
): boolean {
  const chain = chainOf(call.callee);
  const origin = chain && originOf(chain.root, scope);
  if (origin?.root.type !== "Identifier" || origin.scope !== undefined) return false;
  return new ReferenceResolver(project).resolve(module, call.callee).kind === "fw";
}

function rawCall({ text, at, isCalled }: CandidateCall, { endpoint }: SharedHandler): RawCall {
  return { text, at, isCalled, endpoint, dir: directoryOf(endpoint.module) };
}
