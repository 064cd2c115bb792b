import type { DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration, type NamedDeclaration } from "../resolution/named-declaration.ts";
import { spanOf } from "../source/position.ts";
import type { SettingReader } from "./config.ts";
import type { Reference } from "./declaration-syntax.ts";
import { placeOf } from "./source.ts";

/** A setting that names a declaration. A rule says what is wrong where it names none. */
export function referenceTo(...names: readonly DeclarationName[]): SettingReader<Reference> {
  return (source, _name, node) => {
    const value = referenceOf(namedDeclaration(source.project, source.module, node), names);
    return { reading: { at: placeOf(source, node), value }, faults: [] };
  };
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
