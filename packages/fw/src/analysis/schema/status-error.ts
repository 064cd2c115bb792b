import { isUndefined, membersOf, open, stringType, type Property, type Type } from "./type.ts";

/** An error with a status, which a handler may return: an answer of that status, whose body is its message and its details. */
export function statusErrorType(status: Type, details: Type): Type {
  const all = [property("error", stringType), ...detailsProperty(details)];
  const body: Type = { kind: "object", properties: new Map(all.map((each) => [each.name, each])) };
  return { kind: "refused", reason: "reply", name: "StatusError", reply: { body, status } };
}

/** Details that no type tells are any JSON, or none. */
function detailsProperty(details: Type): readonly Property[] {
  const opened = open(details);
  if (isUndefined(opened)) return [];
  if (opened.kind === "refused" && opened.reason === "unknown") {
    return [property("details", { kind: "known", name: "Json" }, true)];
  }
  return [property("details", details, membersOf(details).some(isUndefined))];
}

function property(name: string, type: Type, optional = false): Property {
  return { name, optional, place: undefined, type: () => type };
}
