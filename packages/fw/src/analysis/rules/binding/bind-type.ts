import { bindingOf, bindings, type BindingSource } from "../../../model/bindings.ts";
import type { ParsedEndpoint, EndpointTypes } from "../../readers/endpoint.ts";
import type { Finding, Rule } from "../../rule.ts";
import type { BindingFault } from "../../shape/bound-fields.ts";
import { isEndpoint, typesOf } from "../select.ts";

export const bindType: Rule = {
  id: "bind-type",
  title: "A bound field has a type that its place in the request can carry",
  *declaration(read) {
    const types = typesOf(read);
    if (!types) return;
    for (const fault of types.request.faults) yield { at: fault.at, ...explain(fault) };
    if (isEndpoint(read)) yield* formFinding(read, types);
  },
};

function explain({ kind, property, source, type }: BindingFault): Omit<Finding, "at"> {
  const { marker, carrier, example } = bindingOf(source);
  const cannotCarry = `"${property}" is of a type that ${carrier} cannot carry: ${type}`;
  const rows: Readonly<Record<BindingFault["kind"], readonly [message: string, hint: string]>> = {
    "single-value": [
      `"${property}" is a list, and ${source === "path" ? "a segment of a path" : carrier} is one value`,
      `write ${marker}, or bind the list to the query: Query<string[]>`,
    ],
    "wrong-name": [
      `"${property}" is read from ${carrier} of the name "${type}", which HTTP does not have`,
      `name it as clients send it: ${marker}<string, "${example}">`,
    ],
    "own-name": [
      `"${property}" is read from ${carrier} of the framework's own, "${type}"`,
      "ctx has what the framework knows of a request, and Cookie reads a cookie of yours",
    ],
    "file-outside-form":
      source === "form"
        ? [`"${property}" is a list of files, and a form field is one`, "give each file a field of its own"]
        : [`"${property}" is a Blob, which only a form can carry`, "write Form<Blob>"],
    constraint: [`"${property}": ${type}`, "write Query<Int & Min<1> & Max<100>>, or Query<string & MaxLength<50>>"],
    "list-of-others": [cannotCarry, "send the values as JSON"],
    "several-bindings": [
      `"${property}" is bound in only a part of its type`,
      'mark the type as a whole, such as Query<"open" | "paid">',
    ],
    "unknown-name": [
      `the name that "${property}" has on the wire is no constant`,
      `write it as one text, such as ${marker}<string, "name">`,
    ],
    nested: [
      `${marker} inside "${property}" is not read from ${carrier}: what is inside a field of the body is part of the body`,
      `mark a field of the request itself, such as name: ${marker}`,
    ],
    unsupported: [cannotCarry, supported(source)],
  };
  const [message, hint] = rows[kind];
  return { message, hint };
}

function supported(source: BindingSource): string {
  const { lists, files } = bindings[source];
  const more = files ? ", string[], or Blob" : lists ? ", or string[]" : "";
  return `use string, boolean, Int, Int64, number or a union of literals${more}; richer types go into a JSON body`;
}

/**
 * A form is a body: a GET has none, and a request has no second one. Where a file is the cause, blob-binding says so, and
 * page-binding where a page has unmarked fields.
 */
function* formFinding({ kind, route }: ParsedEndpoint, { request }: EndpointTypes): Iterable<Finding> {
  const { bound, carries } = request.shape;
  const form = bound.find(({ source }) => source === "form");
  if (!form || carries === "multipart") return;
  const { property, at } = form;
  if (route?.method === "GET") {
    yield {
      at,
      message: `"${property}" is a form field, and a GET request has no form`,
      hint: "a form of method GET sends its fields in the query: write Query",
    };
    return;
  }
  const json = request.untagged.find(({ blob }) => !blob);
  if (json && kind === "api") yield beside(property, json);
}

function beside(property: string, { name, at }: { readonly name: string; readonly at: Finding["at"] }): Finding {
  return {
    at,
    message: `"${name}" would be read from a JSON body, and "${property}" from a form: a request has one of them`,
    hint: `write Form, or unmark "${property}"`,
  };
}
