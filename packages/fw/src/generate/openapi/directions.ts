import { reachable, type TypeTable } from "../../model/schema.ts";
import { answerSchemas } from "../../model/reply-shape.ts";
import { bodySchemas } from "../../model/request-shape.ts";
import type { Operation } from "../client/operations.ts";
import { typeNames, unusedName } from "../client/type-names.ts";
import { hasLimits } from "../schema-queries.ts";
import type { Direction } from "./json-schema.ts";

/** The request and response directions of a document, with their named types. */
export interface Directions {
  readonly requests: Direction;
  readonly answers: Direction;
  /** The components of the document. A type with limits that occurs in both directions becomes two components. */
  readonly components: readonly { readonly id: string; readonly direction: Direction }[];
}

/** Chooses the component names of a document; `ids` are the named types in its operations. */
export function directionsOf(ids: readonly string[], operations: readonly Operation[], types: TypeTable): Directions {
  // Only these characters are allowed in component names.
  const names = typeNames(ids, (name) => name.replaceAll(/[^\w.-]/g, "_"));
  const { inRequests, inAnswers } = typesByDirection(operations, types);
  const isHeldInRequests = (id: string): boolean => {
    const schema = types[id];
    return inRequests.has(id) && inAnswers.has(id) && schema !== undefined && hasLimits(schema, types);
  };
  const answerNames = namesOfAnswers(ids.filter(isHeldInRequests), names);
  const requests: Direction = { nameOf: (id) => names.get(id) ?? id, isHeld: true };
  const answers: Direction = { nameOf: (id) => answerNames.get(id) ?? requests.nameOf(id), isHeld: false };
  const components = ids.flatMap((id) => [
    ...(inRequests.has(id) ? [{ id, direction: requests }] : []),
    ...(answerNames.has(id) || !inRequests.has(id) ? [{ id, direction: answers }] : []),
  ]);
  return { requests, answers, components };
}

/** Returns unused component names for the response variants of types whose request variants have limits. */
function namesOfAnswers(ids: readonly string[], names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const usedNames = new Set(names.values());
  return new Map(ids.map((id) => [id, unusedName(`${names.get(id) ?? id}Answer`, usedNames)]));
}

function typesByDirection(
  operations: readonly Operation[],
  types: TypeTable,
): { readonly inRequests: ReadonlySet<string>; readonly inAnswers: ReadonlySet<string> } {
  const inRequests = new Set<string>();
  const inAnswers = new Set<string>();
  for (const { endpoint } of operations) {
    const { request } = endpoint;
    for (const schema of bodySchemas(request)) for (const id of reachable(schema, types)) inRequests.add(id);
    if (request.body.length > 0 && request.type !== undefined) inRequests.add(request.type);
    for (const schema of answerSchemas(endpoint)) for (const id of reachable(schema, types)) inAnswers.add(id);
  }
  return { inRequests, inAnswers };
}
