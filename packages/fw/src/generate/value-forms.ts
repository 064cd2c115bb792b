import type { App } from "../model/app.ts";
import { allOfKind, endpointsOf } from "../model/declarations.ts";
import { schemaOf, type RequestShape } from "../model/request-shape.ts";
import { reachable, type Schema, type TypeTable } from "../model/schema.ts";

/** The types of values that users of the console enter in forms. */
export interface ValueForms {
  /** Each named type that `schemas` mentions. */
  readonly types: TypeTable;
  /** By name: `document <entity>`, `body <method> <path>` and `fields <method> <path>`. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

export function valueForms({ packages, types }: App): ValueForms {
  const schemas = Object.fromEntries([
    ...allOfKind(packages, "entity").flatMap(({ name, document }) => entry(`document ${name}`, document)),
    ...packages
      .flatMap(endpointsOf)
      .flatMap(({ route, request }) => [
        ...entry(`body ${route.pattern}`, bodyOf(request)),
        ...entry(`fields ${route.pattern}`, fieldsOf(request)),
      ]),
  ]);
  return { types: typesIn(Object.values(schemas), types), schemas };
}

function typesIn(schemas: readonly Schema[], types: TypeTable): TypeTable {
  const ids = new Set(schemas.flatMap((schema) => [...reachable(schema, types)]));
  return Object.fromEntries([...ids].flatMap((id) => entry(id, types[id])));
}

function entry(name: string, schema: Schema | undefined): readonly (readonly [string, Schema])[] {
  return schema === undefined ? [] : [[name, schema]];
}

/** Returns the type of a JSON body; undefined if the request has none. */
function bodyOf({ carries, body, whole }: RequestShape): Schema | undefined {
  if (carries !== "json") return undefined;
  return whole === undefined ? { kind: "object", fields: body } : whole.schema;
}

/** Returns the bound fields as an object, by source and name on the wire; undefined if there are none. */
function fieldsOf({ bound }: RequestShape): Schema | undefined {
  if (bound.length === 0) return undefined;
  return {
    kind: "object",
    fields: bound.map(({ source, wire, type, optional, doc }) => ({
      name: `${source} ${wire}`,
      schema: schemaOf(type),
      optional,
      ...(doc !== undefined && { doc }),
    })),
  };
}
