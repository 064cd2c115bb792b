import type { EndpointTypes } from "../../readers/endpoint.ts";
import type { Finding, Rule } from "../../rule.ts";
import { isEndpoint, typesOf } from "../select.ts";

export const blobBinding: Rule = {
  id: "blob-binding",
  title:
    "A Blob in a request is a `Form` field of a route that is not GET, and every other field of that request is marked, too",
  *declaration(read) {
    const types = typesOf(read);
    if (types && isEndpoint(read)) yield* findings(types, read.route?.method);
  },
};

function* findings({ request: { shape, untagged } }: EndpointTypes, method: string | undefined): Iterable<Finding> {
  const unmarked = untagged.filter(({ blob }) => blob);
  for (const { name, at } of unmarked) {
    yield {
      at,
      message: `the Blob "${name}" is not marked: files are sent in forms`,
      hint: `write ${name}: Form<Blob>`,
    };
  }
  if (unmarked.length > 0) return;
  const file = shape.bound.find(({ type }) => type.kind === "blob");
  if (!file) return;
  if (method === "GET") {
    const message = `the Blob "${file.property}" is on a GET, but a GET has no form`;
    yield { at: file.at, message, hint: "declare the route as a POST or PUT" };
    return;
  }
  for (const { name, at } of untagged) yield unmarkedFieldFinding(name, at, file);
}

function unmarkedFieldFinding(
  name: string,
  at: Finding["at"],
  file: { readonly property: string; readonly at: Finding["at"] },
): Finding {
  return {
    at,
    message: `"${name}" is not marked, but the Blob "${file.property}" makes the request a form`,
    hint: `write ${name}: Form<…>, Query<…> or Path<…>`,
    related: [{ at: file.at, message: "the Blob is here" }],
  };
}
