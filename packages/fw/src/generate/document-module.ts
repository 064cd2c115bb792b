import type { Entity } from "../model/entity.ts";
import { objectsOf } from "../model/evolution.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { DocumentTests } from "./document-tests.ts";
import { runtimeImports, runtimeNames } from "./runtime-imports.ts";
import { key } from "./text.ts";

/** The specifier of the generated module that describes the fields of stored documents. */
export const documentsSpecifier = "fw:documents";

/** Generates a module that exports `documents`: the fields of each alternative of an entity's type, by entity name. */
export function documentModule(entities: readonly Entity[], types: TypeTable): string {
  const { functions, rows } = documentRows(entities, types);
  const code = [...functions, "export const documents = {", ...rows, "};", ""].join("\n");
  return [...runtimeImports(code), code].join("\n");
}

/** Generates the body of a `runtime` function with the tests for an entity's documents. */
export function documentBody(entity: Entity, types: TypeTable): string {
  const { functions, rows } = documentRows([entity], types);
  const code = [...functions, "const documents = {", ...rows, "};"].join("\n");
  const names = runtimeNames(code).join(", ");
  return [`"use strict";`, `const { ${names} } = runtime;`, code, "return Object.values(documents)[0];"].join("\n");
}

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
