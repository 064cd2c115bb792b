import type { ESTree } from "rolldown/utils";
import { declarationKinds, type DeclarationName } from "../../model/kinds.ts";
import { quote, unwrap } from "../source/expression.ts";
import type { Place, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { ReferenceResolver } from "./reference-resolver.ts";

/** What an expression names, where a declaration has to be named. */
export type NamedDeclaration =
  /** A declaration that a `const` of the top level holds. */
  | {
      readonly kind: "declared";
      readonly name: DeclarationName;
      readonly module: SourceModule;
      readonly variable: string;
      readonly call: ESTree.CallExpression;
    }
  /** A declaration that is written in the expression's place. */
  | { readonly kind: "inline"; readonly name: DeclarationName }
  /** A declaration that is refused where it is written: no `const` holds it, or it is not exported and has to be. */
  | { readonly kind: "misplaced"; readonly name: DeclarationName }
  /** Anything else. `why` is a phrase that follows a colon. */
  | { readonly kind: "other"; readonly why: string; readonly cause?: Place };

/** The declaration that an expression of the top level names: through imports, re-exports, namespaces and other constants. */
export function namedDeclaration(project: Project, module: SourceModule, node: ESTree.Node): NamedDeclaration {
  const referent = new ReferenceResolver(project).resolve(module, node);
  if (referent.kind === "expression") return declarationAt(project, { module, node: unwrap(node) }, referent);
  if (referent.kind !== "unresolved") return { kind: "other", why: `${quote(module, node)} is no declaration` };
  const name = referent.cause && refusedAt(project, referent.cause);
  if (name !== undefined) return { kind: "misplaced", name };
  return { kind: "other", why: referent.why, ...(referent.cause ? { cause: referent.cause } : {}) };
}

/** What is `asked` for comes down to the expression at `place`. */
function declarationAt(project: Project, asked: Place, place: Place): NamedDeclaration {
  const { module } = place;
  const call = unwrap(place.node);
  const name = calledDeclaration(project, place);
  if (name === undefined || call.type !== "CallExpression") return noDeclaration(asked, place);
  if (call === asked.node) return { kind: "inline", name };
  const variable = constHolding(module, call);
  return variable === undefined ? { kind: "misplaced", name } : { kind: "declared", name, module, variable, call };
}

function noDeclaration({ module, node }: Place, place: Place): NamedDeclaration {
  if (place.node === node) return { kind: "other", why: `${quote(module, node)} is no declaration` };
  return { kind: "other", why: `${quote(module, node)} holds no declaration`, cause: place };
}

/** Declarations that are refused where they are not exported. */
const exportedAlways: ReadonlySet<DeclarationName> = new Set(["Role", "Policy", "RequireRole", "StatusPage"]);

/** The declaration that a reference does not reach, because of how it is written. */
function refusedAt(project: Project, { module, node }: Place): DeclarationName | undefined {
  if (node.type !== "VariableDeclarator" || !node.init) return undefined;
  const name = calledDeclaration(project, { module, node: node.init });
  const binding = [...module.bindings.values()].find((each) => each.kind === "variable" && each.node === node);
  const mutable = binding?.kind === "variable" && binding.mutable;
  return name !== undefined && (mutable || exportedAlways.has(name)) ? name : undefined;
}

function calledDeclaration(project: Project, { module, node }: Place): DeclarationName | undefined {
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
