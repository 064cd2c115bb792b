import { nearest } from "../../../lib/suggest.ts";
import type { BoundField } from "../../../model/request-shape.ts";
import type { Route } from "../../../model/route.ts";
import type { ParsedEndpoint, EndpointTypes } from "../../readers/endpoint.ts";
import type { Finding, Rule } from "../../rule.ts";
import { isEndpoint, typesOf } from "../select.ts";

export const routeParams: Rule = {
  id: "route-params",
  title:
    "Every `{name}` of a route is a `Path` field of the request, and every `Path` field is a `{name}` of the route",
  *declaration(read) {
    const types = typesOf(read);
    if (!types || !isEndpoint(read) || !read.route) return;
    yield* findings(read, read.route, types);
  },
};

function* findings(read: ParsedEndpoint, route: Route, types: EndpointTypes): Iterable<Finding> {
  const params = route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  const fields = types.request.shape.bound.filter(({ source }) => source === "path");
  const unfilled = fields.filter(({ wire }) => !params.includes(wire));
  const unread = params.filter((name) => !fields.some(({ wire }) => wire === name));
  for (const field of unfilled) {
    const suggestion = unfilled.length === 1 && unread.length === 1 ? unread[0] : nearest(field.wire, unread);
    if (suggestion !== undefined) unread.splice(unread.indexOf(suggestion), 1);
    yield unfilledField(field, route, suggestion);
  }
  if (mayBeUnread(types)) return;
  for (const name of unread) yield unreadParameter(read, route, name, types);
}

function unfilledField(
  { at, property, wire }: BoundField,
  { pattern }: Route,
  suggestion: string | undefined,
): Finding {
  const message = `"${property}" is bound to {${wire}}, which the route "${pattern}" does not have`;
  if (suggestion === undefined)
    return { at, message, hint: `add {${wire}} to the route, or bind "${property}" to the query` };
  return {
    at,
    message,
    hint: `the route has {${suggestion}}: rename the field, or write Path<string, "${suggestion}">`,
  };
}

function unreadParameter(read: ParsedEndpoint, { pattern }: Route, name: string, { request }: EndpointTypes): Finding {
  const untagged = request.untagged.find((field) => field.name === name);
  const bound = request.shape.bound.find((field) => field.property === name);
  const field = untagged ?? bound;
  return {
    at: read.text.at,
    message: `the route "${pattern}" has {${name}}, but the request has no Path field for it`,
    hint: field ? `write ${name}: Path` : `add ${name}: Path to the request, or remove {${name}} from the route`,
    ...(untagged ? { fix: { kind: "mark", fields: [untagged.at], marker: "Path" } } : {}),
    ...(field ? { related: [{ at: field.at, message: `"${name}" is not bound to the path here` }] } : {}),
  };
}

/** True if the request has a reported mistake that may hide a `Path` field. */
function mayBeUnread({ request, requestRefusals }: EndpointTypes): boolean {
  const isEmpty = request.shape.bound.length === 0 && request.untagged.length === 0;
  if (isEmpty && requestRefusals.length > 0) return true;
  return (
    request.faults.some(({ source }) => source === "path") || requestRefusals.some(({ reason }) => reason === "mistake")
  );
}
