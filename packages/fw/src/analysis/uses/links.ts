import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf, type DeclarationKind } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { partsOf, type ModulePart } from "./parts.ts";
import type { PartReference } from "./references.ts";
import { loadedBy, targetsOf, type Target } from "./targets.ts";
import { keyOf, propertyName, unwrap } from "../source/expression.ts";
import { childrenOf } from "../source/nodes-around.ts";
import { typeKeys } from "../symbols/value-position.ts";

/** A target, with the first location in a part that refers to it. */
export interface Link extends Target {
  readonly at: Span;
}

/** A part of a module, with its targets in the application. */
export interface LinkedPart {
  readonly names: readonly string[];
  readonly links: readonly Link[];
  /** Paths of the modules it loads at run time. */
  readonly loads: readonly string[];
  /** True if it runs code when the module loads. */
  readonly effect: boolean;
  /** True if it may send messages with keys. */
  readonly sendsWithKey: boolean;
  /** The first read that may include referenced documents; undefined if there is none. */
  readonly referredRead: Span | undefined;
}

export interface LinkedModule {
  readonly path: string;
  readonly parts: readonly LinkedPart[];
  readonly imports: readonly string[];
  /** Paths of modules imported for side effects only: `import "./setup.ts"`. */
  readonly sideEffectImports: readonly string[];
}

/** Links a module. Modules outside the application have no declarations. */
export function linksOf(project: Project, module: SourceModule, declared: DeclaredModule["declared"]): LinkedModule {
  const kinds = new Map(declared.map(({ call, read }) => [call.call as ESTree.Node, read?.kind]));
  const parts = partsOf(module).map((part) => linkPart(project, module, part, kinds));
  const { loaded, bare } = importedBy(project, module);
  return {
    path: module.path,
    parts,
    imports: [...loaded],
    sideEffectImports: [...bare],
  };
}

type Kinds = ReadonlyMap<ESTree.Node, DeclarationKind | "misplaced" | undefined>;

function linkPart(project: Project, module: SourceModule, part: ModulePart, kinds: Kinds): LinkedPart {
  const declaration = part.calls.find((call) => kinds.has(call));
  const kind = declaration && kinds.get(declaration);
  const own = ownCode(declaration, kind);
  const inside = own ? part.references.filter(({ node }) => isInside(own, node)) : part.references;
  const references = kind === "mail" && own ? inside.map((each) => sentByMail(own, each)) : inside;
  return {
    names: part.names,
    links: distinctLinks(project, module, references),
    loads: part.loads.flatMap((source) => loadedBy(project, module, source)?.path ?? []),
    sendsWithKey: sendsWithKey(module, part.node),
    referredRead: referredReadIn(module, part.node),
    effect: part.names.length === 0 || (part.calls.length > 0 && declaration === undefined),
  };
}

/**
 * Returns the handler of a declaration and the arguments after it, which include an endpoint's policy. Returns
 * undefined for a node that is not a declaration.
 */
function ownCode(
  node: ESTree.Node | undefined,
  kind: DeclarationKind | "misplaced" | undefined,
): readonly ESTree.Node[] | undefined {
  if (node?.type !== "CallExpression" || kind === undefined || kind === "misplaced") return undefined;
  return node.arguments.slice(descriptionOf(kind).handler ?? node.arguments.length);
}

/** Adds `send` to a reference in the settings of a Mail, because fw only sends to the queue that they name. */
function sentByMail([, ...settings]: readonly ESTree.Node[], reference: PartReference): PartReference {
  return isInside(settings, reference.node) ? { ...reference, keys: [...reference.keys, "send"] } : reference;
}

function isInside(nodes: readonly ESTree.Node[], { start, end }: ESTree.Node): boolean {
  return nodes.some((node) => node.start <= start && end <= node.end);
}

/** Resolves references to targets, without duplicates. An operation is at most two members below its resource. */
function distinctLinks(project: Project, module: SourceModule, references: readonly PartReference[]): readonly Link[] {
  const links = new Map<string, Link>();
  const resolvedChains = new Set<string>();
  for (const reference of references.toSorted((a, b) => a.node.start - b.node.start)) {
    const { root, keys } = reference;
    const chain = [typeof root === "string" ? root : root.start, ...keys].join("\0");
    if (resolvedChains.has(chain)) continue;
    resolvedChains.add(chain);
    for (const target of targetsOf(project, module, reference)) {
      const key = [target.module, target.name, ...target.keys.slice(0, 2)].join("\0");
      if (!links.has(key)) links.set(key, { ...target, at: spanOf(module, reference.node) });
    }
  }
  return [...links.values()];
}

/**
 * True if code may call `send` with the option `key`. A call without options or with a literal that lacks the option
 * cannot.
 */
function sendsWithKey(module: SourceModule, part: ESTree.Node): boolean {
  if (!module.text.includes("send")) return false;
  const waiting: ESTree.Node[] = [part];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "CallExpression" && mayHaveKey(node)) return true;
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return false;
}

function mayHaveKey({ callee, arguments: values }: ESTree.CallExpression): boolean {
  const bare = unwrap(callee);
  if (bare.type === "MemberExpression" ? keyOf(bare) !== "send" : bare.type !== "Identifier") return false;
  if (bare.type === "Identifier" && bare.name !== "send") return false;
  const [, , options] = values;
  if (values.some(({ type }) => type === "SpreadElement")) return true;
  const literal = options && unwrap(options);
  if (literal === undefined) return false;
  if (literal.type !== "ObjectExpression") return true;
  return literal.properties.some((each) => {
    const name = each.type === "Property" ? propertyName(each) : undefined;
    return name === undefined || name === "key";
  });
}

/** Finds code that may call `with` on a query or use the option `with` of a read; undefined if there is none. */
function referredReadIn(module: SourceModule, part: ESTree.Node): Span | undefined {
  if (!/\bwith\b/.test(module.text.slice(part.start, part.end))) return undefined;
  const waiting: ESTree.Node[] = [part];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isCall(node) || (node.type === "Property" && propertyName(node) === "with")) return spanOf(module, node);
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return undefined;
}

function isCall(node: ESTree.Node): boolean {
  const callee = node.type === "CallExpression" ? unwrap(node.callee) : undefined;
  return callee?.type === "MemberExpression" && keyOf(callee) === "with";
}
