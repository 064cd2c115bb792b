import type { ESTree } from "rolldown/utils";
import { declarationKinds, type DeclarationName } from "../../model/kinds.ts";
import { quote, unwrap } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { ReferenceResolver } from "./reference-resolver.ts";

/** The meaning of an expression that should name a declaration. */
export type NamedDeclaration =
  /** A declaration in a top-level `const`. */
  | {
      readonly kind: "declared";
      readonly name: DeclarationName;
      readonly module: SourceModule;
      readonly variable: string;
      readonly call: ESTree.CallExpression;
    }
  /** A declaration written inline instead of a name. */
  | { readonly kind: "inline"; readonly name: DeclarationName }
  /** A declaration that another rule refuses: it is not in a `const`, or lacks a required export. */
  | { readonly kind: "misplaced"; readonly name: DeclarationName }
  /** Anything else; `why` is a phrase to put after a colon. */
  | { readonly kind: "other"; readonly why: string; readonly cause?: SourceNode };

/** Resolves a top-level expression to a declaration, through imports, re-exports, namespaces and other constants. */
export function namedDeclaration(project: Project, module: SourceModule, node: ESTree.Node): NamedDeclaration {
  const referent = new ReferenceResolver(project).resolve(module, node);
  if (referent.kind === "expression") return declarationAt(project, { module, node: unwrap(node) }, referent);
  if (referent.kind !== "unresolved") return { kind: "other", why: `${quote(module, node)} is not a declaration` };
  const name = referent.cause && misplacedDeclaration(project, referent.cause);
  if (name !== undefined) return { kind: "misplaced", name };
  return { kind: "other", why: referent.why, ...(referent.cause ? { cause: referent.cause } : {}) };
}

/** Describes the expression at `place`, the target of the reference at `from`. */
function declarationAt(project: Project, from: SourceNode, place: SourceNode): NamedDeclaration {
  const { module } = place;
  const call = unwrap(place.node);
  const name = calledDeclaration(project, place);
  if (name === undefined || call.type !== "CallExpression") return noDeclaration(from, place);
  if (call === from.node) return { kind: "inline", name };
  const variable = constHolding(module, call);
  return variable === undefined ? { kind: "misplaced", name } : { kind: "declared", name, module, variable, call };
}

function noDeclaration({ module, node }: SourceNode, place: SourceNode): NamedDeclaration {
  if (place.node === node) return { kind: "other", why: `${quote(module, node)} is not a declaration` };
  return { kind: "other", why: `${quote(module, node)} is not a declaration`, cause: place };
}

const mustBeExported: ReadonlySet<DeclarationName> = new Set([
  "Role",
  "Policy",
  "RequireRole",
  "RequireMember",
  "StatusPage",
  "ErrorShape",
]);

/** Finds a misplaced declaration that a reference cannot reach; undefined for anything else. */
function misplacedDeclaration(project: Project, { module, node }: SourceNode): DeclarationName | undefined {
  if (node.type !== "VariableDeclarator" || !node.init) return undefined;
  const name = calledDeclaration(project, { module, node: node.init });
  const binding = [...module.bindings.values()].find((each) => each.kind === "variable" && each.node === node);
  const mutable = binding?.kind === "variable" && binding.mutable;
  return name !== undefined && (mutable || mustBeExported.has(name)) ? name : undefined;
}

function calledDeclaration(project: Project, { module, node }: SourceNode): DeclarationName | undefined {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return undefined;
  const callee = new ReferenceResolver(project).resolve(module, call.callee);
  return callee.kind === "fw" && Object.hasOwn(declarationKinds, callee.name)
    ? (callee.name as DeclarationName)
    : undefined;
}

function constHolding(module: SourceModule, call: ESTree.CallExpression): string | undefined {
  for (const binding of module.bindings.values()) {
    if (binding.kind === "variable" && binding.node.init && unwrap(binding.node.init) === call) return binding.name;
  }
  return undefined;
}
