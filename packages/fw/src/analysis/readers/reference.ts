import type { ESTree } from "rolldown/utils";
import type { DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration, type NamedDeclaration } from "../resolution/named-declaration.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { keyOf, propertyName, unfrozen, unwrap } from "../source/expression.ts";
import { spanOf } from "../source/position.ts";
import type { SettingReader } from "./config.ts";
import type { Located, Reference, ReferenceForm } from "./declaration-syntax.ts";
import { placeOf, readText, type Source } from "./source.ts";

/** A setting that names a declaration. A rule says what is wrong where it names none. */
export function referenceTo(...names: readonly DeclarationName[]): SettingReader<Reference> {
  return (source, _name, node) => {
    const value = referenceOf(namedDeclaration(source.project, source.module, node), names, source, node);
    return { reading: { at: placeOf(source, node), value }, faults: [] };
  };
}

/** A declaration that is named, with its own name where that is constant. */
export interface NamedReference {
  readonly reference: Reference;
  readonly name: string | undefined;
}

/** What an argument or an element names that has to be declared by a function of fw, and what that is called. */
export function readNamed(source: Source, node: ESTree.Node, by: DeclarationName): Located<NamedReference> {
  const at = placeOf(source, node);
  if (node.type === "SpreadElement") {
    const form = { kind: "spread" } as const;
    const reference = { kind: "none", why: "a spread may hold any number of them", form } as const;
    return { at, value: { reference, name: undefined } };
  }
  const { project, module } = source;
  const found = namedDeclaration(project, module, node);
  const reference = referenceOf(found, [by], source, node);
  const isOne = found.kind === "declared" && reference.kind === "declared";
  return { at, value: { reference, name: isOne ? readText({ ...found, project }, 0).value : undefined } };
}

/** The declaration that a node names, where one by some of these functions has to be named. */
export function referenceOf(
  target: NamedDeclaration,
  names: readonly DeclarationName[],
  source: Source,
  node: ESTree.Node,
): Reference {
  if (target.kind === "other") {
    const { why, cause } = target;
    const form = formOf(source, node) ?? (cause && formOf({ ...source, module: cause.module }, cause.node));
    const related = cause ? { cause: spanOf(cause.module, cause.node) } : {};
    return { kind: "none", why, ...related, ...(form && { form }) };
  }
  if (!names.includes(target.name)) return { kind: "another", name: target.name };
  if (target.kind !== "declared") return { kind: target.kind };
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

/** The first member of the literal that an expression stands for, as it would be named. */
function firstMember({ project, module }: Source, object: ESTree.Expression): string | undefined {
  const referent = new ReferenceResolver(project).resolve(module, object);
  const literal = referent.kind === "expression" ? unfrozen(referent.module, referent.node) : undefined;
  if (literal?.type !== "ObjectExpression") return undefined;
  const [first] = literal.properties;
  const name = first?.type === "Property" ? propertyName(first) : undefined;
  const text = module.text.slice(object.start, object.end);
  return name !== undefined && /^[A-Za-z_$][\w$]*$/.test(name) ? `${text}.${name}` : undefined;
}
