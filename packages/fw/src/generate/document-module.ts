import type { Entity } from "../model/entity.ts";
import { objectsOf } from "../model/evolution.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { DocumentTests } from "./document-tests.ts";
import { runtimeImports, runtimeNames } from "./runtime-imports.ts";
import { key } from "./text.ts";

/** The specifier of the generated module that describes the fields of stored documents. */
export const documentsSpecifier = "fw:documents";

/** A module that exports `documents`: by the name of an entity, the fields of each alternative of its type. */
export function documentModule(entities: readonly Entity[], types: TypeTable): string {
  const { functions, rows } = documentRows(entities, types);
  const code = [...functions, "export const documents = {", ...rows, "};", ""].join("\n");
  return [...runtimeImports(code), code].join("\n");
}

/** The body of a generated `runtime` function that treats all documents of an entity alike. */
export function documentBody(entity: Entity, types: TypeTable): string {
  const { functions, rows } = documentRows([entity], types);
  const code = [...functions, "const documents = {", ...rows, "};"].join("\n");
  const names = runtimeNames(code).join(", ");
  return [`"use strict";`, `const { ${names} } = runtime;`, code, "return Object.values(documents)[0];"].join("\n");
}

/** The schemas that a module of documents is made of. */
export function documentSchemas({ document }: Entity): readonly Schema[] {
  return document === undefined ? [] : [document];
}

function documentRows(
  entities: readonly Entity[],
  types: TypeTable,
): { readonly functions: readonly string[]; readonly rows: readonly string[] } {
  const tests = new DocumentTests(types);
  const rows = entities.flatMap(({ name, document }) => {
    if (document === undefined) return [];
    const alternatives = objectsOf(document, (id) => types[id]).map(
      ({ fields }) => `    [${fields.map((field) => tests.field(field)).join(", ")}],`,
    );
    return [`  ${key(name)}: [`, ...alternatives, "  ],"];
  });
  return { functions: tests.functions, rows };
}
