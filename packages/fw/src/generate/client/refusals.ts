import { repeats } from "../../lib/grouped.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import { inSourceOrder, type Diagnostic } from "../../model/diagnostic.ts";
import { reachable, type TypeTable } from "../../model/schema.ts";
import { wireSchemas } from "../../model/wire-schemas.ts";
import { typesIn, type Operation } from "./operations.ts";
import { isPlain, sourceName } from "./type-names.ts";

/** The client's own type names. */
const reservedTypeNames: ReadonlySet<string> = new Set([
  "ApiAnswer",
  "ApiCall",
  "ApiCallOptions",
  "ApiClient",
  "ApiError",
  "ApiErrorBody",
  "ApiEvent",
  "ApiEventOptions",
  "ApiHeaders",
  "ApiOptions",
  "ApiProblem",
  "ApiRefusals",
  "ApiScalar",
  "ApiSocket",
  "ApiSocketEnd",
  "ApiSocketError",
  "ApiSocketOptions",
  "ApiWebSocket",
  "Json",
]);

/** Returns the problems that prevent the generation of a client, in source order. */
export function clientProblems(
  operations: readonly Operation[],
  types: TypeTable,
  described: Descriptions,
): readonly Diagnostic[] {
  const ids = typesIn(operations, types);
  return [
    ...duplicateMethods(operations),
    ...reservedNames(ids, described.types),
    ...ambiguousTypes(operations, types, described.types),
  ].toSorted((a, b) => inSourceOrder(a.at, b.at));
}

function clientProblem(about: Omit<Diagnostic, "code">): Diagnostic {
  return { code: "client", ...about };
}

/** Reports every use of a method name after the first. */
function duplicateMethods(operations: readonly Operation[]): readonly Diagnostic[] {
  const sorted = operations
    .map(({ endpoint }) => endpoint)
    .toSorted((a, b) => inSourceOrder(a.declaration.at, b.declaration.at));
  return Array.from(
    repeats(sorted, ({ declaration }) => declaration.variable),
    ({ first, again }) => {
      const { variable, at } = again.declaration;
      return clientProblem({
        at,
        message: `the client would have two methods "${variable}": for ${first.route.pattern} and for ${again.route.pattern}`,
        hint: "methods are named after the constants that hold the APIs; rename one of the two",
        related: [{ at: first.declaration.at, message: `"${variable}" for ${first.route.pattern}` }],
      });
    },
  );
}

function reservedNames(ids: readonly string[], described: Descriptions["types"]): readonly Diagnostic[] {
  return ids.flatMap((id) => {
    const name = sourceName(id);
    const type = described.get(id);
    if (name === undefined || type === undefined || !isPlain(id) || !reservedTypeNames.has(name)) return [];
    return clientProblem({
      at: type.at,
      message: `the client already has a type named "${name}"`,
      hint: "types keep their names in the client; rename this type",
    });
  });
}

/** Reports request types that bind fields and are also used as values: the client would need two types. */
function ambiguousTypes(
  operations: readonly Operation[],
  types: TypeTable,
  described: Descriptions["types"],
): readonly Diagnostic[] {
  const values = operationsByValue(operations, types);
  const problems = new Map<string, Diagnostic>();
  for (const { endpoint } of operations) {
    const id = endpoint.request.type;
    const [field] = endpoint.request.bound;
    const user = id === undefined ? undefined : values.get(id);
    if (id === undefined || field === undefined || user === undefined || problems.has(id)) continue;
    const at = described.get(id)?.at ?? field.at;
    const request = `binds "${field.property}" to the ${field.source} of ${endpoint.route.pattern}`;
    problems.set(
      id,
      clientProblem({
        at,
        message: `"${sourceName(id) ?? "this type"}" ${request}, and is a value that ${user.endpoint.route.pattern} carries`,
        hint: "a request that binds fields and a value have two shapes in the client; write two types",
      }),
    );
  }
  return [...problems.values()];
}

/** Maps each type to the first operation that carries a value of it. */
function operationsByValue(operations: readonly Operation[], types: TypeTable): ReadonlyMap<string, Operation> {
  const values = new Map<string, Operation>();
  for (const operation of operations) {
    for (const schema of wireSchemas(operation.endpoint))
      for (const id of reachable(schema, types)) if (!values.has(id)) values.set(id, operation);
  }
  return values;
}
