import { isUndefined, membersOf, open, stringType, type Property, type Type } from "./type.ts";

/** The type of a StatusError as a return value: a reply of that status, with a message and details. */
export function statusErrorType(status: Type, details: Type): Type {
  const all = [makeProperty("error", stringType), ...detailsProperty(details)];
  const body: Type = { kind: "object", properties: new Map(all.map((each) => [each.name, each])) };
  return { kind: "refused", reason: "reply", name: "StatusError", reply: { body, status, isError: true } };
}

/** Details of an unknown type are any JSON, or absent. */
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
