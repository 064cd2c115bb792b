import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf, type DeclarationKind } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { partsOf, type Part } from "./parts.ts";
import type { Reference } from "./references.ts";
import { loadedBy, targetsOf, type Target } from "./targets.ts";

/** A target, and the first place of a part that leads there. */
export interface Link extends Target {
  readonly at: Span;
}

/** A part of a module, with what it leads to in the application. */
export interface LinkedPart {
  readonly names: readonly string[];
  readonly links: readonly Link[];
  /** Paths of the modules that it loads when it runs. */
  readonly loads: readonly string[];
  /** True where it does something when the module is loaded. */
  readonly effect: boolean;
}

/** A module with what it leads to. */
export interface LinkedModule {
  readonly path: string;
  readonly parts: readonly LinkedPart[];
  /** Paths of the modules that it imports. */
  readonly imports: readonly string[];
  /** Paths of those that it imports for their effects alone: `import "./setup.ts"`. */
  readonly bare: readonly string[];
}

/** A module of the application; of one elsewhere nothing is declared. */
export function linksOf(project: Project, module: SourceModule, declared: DeclaredModule["declared"]): LinkedModule {
  const kinds = new Map(declared.map(({ call, read }) => [call.call as ESTree.Node, read?.kind]));
  const parts = partsOf(module).map((part) => linked(project, module, part, kinds));
  const { loaded, bare } = importedBy(project, module);
  return {
    path: module.path,
    parts,
    imports: [...loaded],
    bare: [...bare],
  };
}

type Kinds = ReadonlyMap<ESTree.Node, DeclarationKind | "misplaced" | undefined>;

function linked(project: Project, module: SourceModule, part: Part, kinds: Kinds): LinkedPart {
  const declaration = part.calls.find((call) => kinds.has(call));
  const own = ownCode(declaration, declaration && kinds.get(declaration));
  const references = own ? part.references.filter(({ node }) => isInside(own, node)) : part.references;
  return {
    names: part.names,
    links: distinct(project, module, references),
    loads: part.loads.flatMap((source) => loadedBy(project, module, source)?.path ?? []),
    effect: part.names.length === 0 || (part.calls.length > 0 && declaration === undefined),
  };
}

/** The arguments of a declaration that run: its handler, and the policy of an endpoint. What it receives from is none. */
function ownCode(
  node: ESTree.Node | undefined,
  kind: DeclarationKind | "misplaced" | undefined,
): readonly ESTree.Node[] | undefined {
  if (node?.type !== "CallExpression" || kind === undefined || kind === "misplaced") return undefined;
  return node.arguments.slice(descriptionOf(kind).handler ?? node.arguments.length);
}

function isInside(nodes: readonly ESTree.Node[], { start, end }: ESTree.Node): boolean {
  return nodes.some((node) => node.start <= start && end <= node.end);
}

/** Where references lead, each target once. No operation is more than two members away from its resource. */
function distinct(project: Project, module: SourceModule, references: readonly Reference[]): readonly Link[] {
  const found = new Map<string, Link>();
  const followed = new Set<string>();
  for (const reference of references.toSorted((a, b) => a.node.start - b.node.start)) {
    const { root, keys } = reference;
    const written = [typeof root === "string" ? root : root.start, ...keys].join("\0");
    if (followed.has(written)) continue;
    followed.add(written);
    for (const target of targetsOf(project, module, reference)) {
      const key = [target.module, target.name, ...target.keys.slice(0, 2)].join("\0");
      if (!found.has(key)) found.set(key, { ...target, at: spanOf(module, reference.node) });
    }
  }
  return [...found.values()];
}
