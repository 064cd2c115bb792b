import type { ESTree } from "rolldown/utils";
import type { DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration, type NamedDeclaration } from "../resolution/named-declaration.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { keyOf, propertyName, unwrapFrozen, unwrap } from "../source/expression.ts";
import { spanOf } from "../source/position.ts";
import type { SettingReader } from "./config.ts";
import type { Located, DeclarationReference, ReferenceForm } from "./declaration-syntax.ts";
import { spanIn, readText, type Source } from "./source.ts";

/** Reads a setting that must name a declaration; a rule reports other values. */
export function referenceTo(...names: readonly DeclarationName[]): SettingReader<DeclarationReference> {
  return (source, _name, node) => {
    const value = referenceOf(namedDeclaration(source.project, source.module, node), names, source, node);
    return { reading: { at: spanIn(source, node), value }, faults: [] };
  };
}

/** A reference to a declaration, with the declared name if it is constant. */
export interface NamedReference {
  readonly reference: DeclarationReference;
  readonly name: string | undefined;
}

/** Reads an argument or element that must name a declaration made with the function `by`. */
export function readNamedReference(source: Source, node: ESTree.Node, by: DeclarationName): Located<NamedReference> {
  const at = spanIn(source, node);
  if (node.type === "SpreadElement") {
    const form = { kind: "spread" } as const;
    const reference = { kind: "none", why: "a spread may contain any number of values", form } as const;
    return { at, value: { reference, name: undefined } };
  }
  const { project, module } = source;
  const target = namedDeclaration(project, module, node);
  const reference = referenceOf(target, [by], source, node);
  const isOne = target.kind === "declared" && reference.kind === "declared";
  return { at, value: { reference, name: isOne ? readText({ ...target, project }, 0).value : undefined } };
}

/** Reads a list literal of names of declarations; undefined for anything else. */
export function readReferences(
  source: Source,
  node: ESTree.Node,
  by: DeclarationName,
): readonly Located<NamedReference>[] | undefined {
  const list = unwrap(node);
  if (list.type !== "ArrayExpression") return undefined;
  return list.elements.flatMap((element) => (element === null ? [] : [readNamedReference(source, element, by)]));
}

/** Describes what `node` refers to, where a declaration made with one of the functions `names` is expected. */
export function referenceOf(
  target: NamedDeclaration,
  names: readonly DeclarationName[],
  source: Source,
  node: ESTree.Node,
): DeclarationReference {
  if (target.kind === "other") {
    const { why, cause } = target;
    const form = formOf(source, node) ?? (cause && formOf({ ...source, module: cause.module }, cause.node));
    const related = cause ? { cause: spanOf(cause.module, cause.node) } : {};
    return { kind: "none", why, ...related, ...(form && { form }) };
  }
  if (!names.includes(target.name)) return { kind: "another", name: target.name };
  if (target.kind === "inline") return { kind: "inline", name: target.name };
  if (target.kind === "misplaced") return { kind: "misplaced" };
  return { kind: "declared", module: target.module.path, variable: target.variable };
}

function formOf(source: Source, node: ESTree.Node): ReferenceForm | undefined {
  const bare = unwrap(node);
  if (bare.type === "ConditionalExpression" || bare.type === "LogicalExpression") return { kind: "choice" };
  if (bare.type === "CallExpression") return { kind: "call" };
  if (bare.type !== "MemberExpression" || keyOf(bare) !== undefined) return undefined;
  const member = firstMember(source, bare.object);
  return member === undefined ? undefined : { kind: "computed", member };
}

/** Returns the first member of the literal that an expression refers to, as code; undefined if there is none. */
function firstMember({ project, module }: Source, object: ESTree.Expression): string | undefined {
  const referent = new ReferenceResolver(project).resolve(module, object);
  const literal = referent.kind === "expression" ? unwrapFrozen(referent.module, referent.node) : undefined;
  if (literal?.type !== "ObjectExpression") return undefined;
  const [first] = literal.properties;
  const name = first?.type === "Property" ? propertyName(first) : undefined;
  const text = module.text.slice(object.start, object.end);
  return name !== undefined && /^[A-Za-z_$][\w$]*$/.test(name) ? `${text}.${name}` : undefined;
}
