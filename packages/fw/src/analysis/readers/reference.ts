import type { ESTree } from "rolldown/utils";
import type { DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration, type NamedDeclaration } from "../resolution/named-declaration.ts";
import { spanOf } from "../source/position.ts";
import type { SettingReader } from "./config.ts";
import type { Located, Reference } from "./declaration-syntax.ts";
import { placeOf, readText, type Source } from "./source.ts";

/** A setting that names a declaration. A rule says what is wrong where it names none. */
export function referenceTo(...names: readonly DeclarationName[]): SettingReader<Reference> {
  return (source, _name, node) => {
    const value = referenceOf(namedDeclaration(source.project, source.module, node), names);
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
    const reference = { kind: "none", why: "a spread may hold any number of them" } as const;
    return { at, value: { reference, name: undefined } };
  }
  const { project, module } = source;
  const found = namedDeclaration(project, module, node);
  const reference = referenceOf(found, [by]);
  const isOne = found.kind === "declared" && reference.kind === "declared";
  return { at, value: { reference, name: isOne ? readText({ ...found, project }, 0).value : undefined } };
}

/** What was named, where a declaration by one of these functions has to be. */
export function referenceOf(named: NamedDeclaration, names: readonly DeclarationName[]): Reference {
  if (named.kind === "other") {
    const { why, cause } = named;
    return { kind: "none", why, ...(cause ? { cause: spanOf(cause.module, cause.node) } : {}) };
  }
  if (!names.includes(named.name)) return { kind: "another", name: named.name };
  if (named.kind !== "declared") return { kind: named.kind };
  return { kind: "declared", module: named.module.path, variable: named.variable };
}
