import { bindingOf, bindings, type BindingSource } from "../../../model/bindings.ts";
import type { ParsedEndpoint, EndpointTypes } from "../../readers/endpoint.ts";
import type { Finding, Rule } from "../../rule.ts";
import type { BindingFault } from "../../shape/bound-fields.ts";
import { isEndpoint, typesOf } from "../select.ts";

export const bindType: Rule = {
  id: "bind-type",
  title:
    "A field bound to the path, the query, a form, a header or a cookie has a type that text can carry, and a valid name",
  *declaration(read) {
    const types = typesOf(read);
    if (!types) return;
    for (const fault of types.request.faults) yield { at: fault.at, ...explain(fault) };
    if (isEndpoint(read)) yield* formFinding(read, types);
  },
};

function explain({ kind, property, source, type }: BindingFault): Omit<Finding, "at"> {
  const { marker, carrier, example } = bindingOf(source);
  const cannotCarry = `"${property}" has a type that ${carrier} cannot carry: ${type}`;
  const rows: Readonly<Record<BindingFault["kind"], readonly [message: string, hint: string]>> = {
    "single-value": [
      `"${property}" is a list, but ${source === "path" ? "a path segment" : carrier} is a single value`,
      `write ${marker} for one value, or bind the list to the query: Query<string[]>`,
    ],
    "wrong-name": [
      `"${property}" is read from ${carrier} named "${type}", which is not a valid HTTP name`,
      `write the name that clients send: ${marker}<string, "${example}">`,
    ],
    "own-name": [
      `"${property}" is read from ${carrier} that fw reserves, "${type}"`,
      "use ctx for what fw knows about a request, and Cookie for your own cookies",
    ],
    "file-outside-form":
      source === "form"
        ? [`"${property}" is a list of files, but a form field is one file`, "add a separate field for each file"]
        : [`"${property}" is a Blob, which only a form can carry`, "write Form<Blob>"],
    constraint: [`"${property}": ${type}`, "write Query<Int & Min<1> & Max<100>>, or Query<string & MaxLength<50>>"],
    "list-of-others": [cannotCarry, "send the values as JSON"],
    "several-bindings": [
      `"${property}" is marked in only part of its type`,
      'mark the whole type, such as Query<"open" | "paid">',
    ],
    "unknown-name": [
      `the wire name of "${property}" is not a constant`,
      `write it as a string literal, such as ${marker}<string, "name">`,
    ],
    nested: [
      `${marker} inside "${property}" is not read from ${carrier}: nested fields are part of the body`,
      `mark a field of the request itself, such as name: ${marker}`,
    ],
    unsupported: [cannotCarry, type === "Date" ? dateHint(marker) : supported(source)],
  };
  const [message, hint] = rows[kind];
  return { message, hint };
}

/** Returns the hint for a date. Browsers send the dates of input elements without a time zone. */
function dateHint(marker: string): string {
  return `bind it as a string, ${marker}, and parse it with new Date(…), or send it in a JSON body`;
}

function supported(source: BindingSource): string {
  const { lists, files } = bindings[source];
  const more = files ? ", string[], or Blob" : lists ? ", or string[]" : "";
  return `use string, boolean, Int, Int64, number or a union of literals${more}; send richer types in a JSON body`;
}

/**
 * Reports form fields on a GET, which has no body, and form fields next to JSON fields, because a request has one body.
 * blob-binding covers files, and page-binding covers unmarked fields of pages.
 */
function* formFinding({ kind, route }: ParsedEndpoint, { request }: EndpointTypes): Iterable<Finding> {
  const { bound, carries } = request.shape;
  const form = bound.find(({ source }) => source === "form");
  if (!form || carries === "multipart") return;
  const { property, at } = form;
  if (route?.method === "GET") {
    yield {
      at,
      message: `"${property}" is a form field, but a GET request has no form`,
      hint: "forms with method GET send their fields in the query: write Query",
    };
    return;
  }
  const json = request.untagged.find(({ blob }) => !blob);
  if (json && kind === "api") yield mixedBodyFinding(property, json);
}

function mixedBodyFinding(
  property: string,
  { name, at }: { readonly name: string; readonly at: Finding["at"] },
): Finding {
  return {
    at,
    message: `"${name}" would be read from a JSON body, and "${property}" from a form: a request has only one body`,
    hint: `write Form, or unmark "${property}"`,
  };
}
