import { isUndefined, membersOf, open, stringType, type Property, type Type } from "./type.ts";

/** Builds the type of a returned StatusError: a reply with that status, a message and details. */
export function statusErrorType(status: Type, details: Type): Type {
  const all = [makeProperty("error", stringType), ...detailsProperty(details)];
  const body: Type = { kind: "object", properties: new Map(all.map((each) => [each.name, each])) };
  return { kind: "refused", reason: "reply", name: "StatusError", reply: { body, status, isError: true } };
}

/** Returns the property for details, which are optional JSON if their type is unknown. */
function detailsProperty(details: Type): readonly Property[] {
  const inner = open(details);
  if (isUndefined(inner)) return [];
  if (inner.kind === "refused" && inner.reason === "unknown") {
    return [makeProperty("details", { kind: "known", name: "Json" }, true)];
  }
  return [makeProperty("details", details, membersOf(details).some(isUndefined))];
}

function makeProperty(name: string, type: Type, optional = false): Property {
  return { name, optional, range: undefined, type: () => type };
}
