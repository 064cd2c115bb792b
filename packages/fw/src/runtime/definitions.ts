import type { Definitions, KindDefinition } from "../platform/contract.ts";
import { authKinds } from "./auth/kinds.ts";
import type { Bundle, BundledEntity } from "./bundle.ts";

/** What a platform has to know of an application before it keeps its documents. */
export function definitionsOf({ entities, auth }: Pick<Bundle, "entities" | "auth">): Definitions {
  return { kinds: [...(entities ?? []).map(kindOf), ...(auth ? authKinds : [])] };
}

function kindOf({ name, indexed, indexes }: BundledEntity): KindDefinition {
  return {
    kind: name,
    properties: indexed.map((field) => (field.many ? { name: field.name, many: true } : { name: field.name })),
    composites: indexes.map((fields) => ({
      properties: fields.map(({ field, direction }) => ({ property: field, direction })),
    })),
  };
}
