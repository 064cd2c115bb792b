import { declarationKey } from "../../model/declarations.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { Endpoint } from "../../model/app.ts";
import { bodySchemas, type BoundField, type RequestShape } from "../../model/request-shape.ts";
import { key, objectLiteral, property, text } from "../text.ts";
import { limitNote } from "../limit-words.ts";
import { docLines } from "./doc-lines.ts";
import { isRequired, jsonOf, type Operation } from "./operations.ts";
import {
  fieldsText,
  holdsInt64,
  int64Note,
  membersText,
  scalarText,
  typeText,
  type Member,
  type NameOf,
} from "./type-text.ts";

/** What is known of the application besides its operations. */
export interface Words {
  readonly nameOf: NameOf;
  readonly described: Descriptions;
  /** Who gets in, in words. */
  readonly door: (endpoint: Endpoint) => string;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** The lines of a method's signature, with its doc comment. */
export function signature(operation: Operation, words: Words): readonly string[] {
  const { endpoint } = operation;
  const list = parameters(operation, words.nameOf).map(
    ({ name, optional, type }) => `${name}${optional ? "?" : ""}: ${type}`,
  );
  const answer = answerText(operation, words.nameOf);
  const given = isIterated(operation) ? answer : `globalThis.Promise<${answer}>`;
  return [
    ...docLines(docOf(operation, words), "  "),
    `  ${key(endpoint.declaration.variable)}(${list.join(", ")}): ${given};`,
  ];
}

/** The line of a method's code. */
export function implementation(operation: Operation): string {
  const { endpoint, query } = operation;
  const { request, route, declaration } = endpoint;
  const names = pathNames(operation);
  const properties = new Map(operation.path.map((field, i) => [field.wire, names[i] ?? ""]));
  const path = route.segments.map((segment) =>
    "literal" in segment ? text(segment.literal) : (properties.get(segment.param) ?? ""),
  );
  const sent = query.length === 0 ? [] : [queryText(query)];
  const given = [
    ...sent,
    ...(bodySchemas(request).length === 0 ? [] : ["body"]),
    `answer: ${text(operation.answer === "events" ? "file" : operation.answer)}`,
  ];
  const list = [
    ...names,
    ...(bodySchemas(request).length === 0 ? [] : ["body"]),
    ...(query.length === 0 ? [] : ["query"]),
    "options",
  ];
  const name = `    ${key(declaration.variable)}: (${list.join(", ")}) =>`;
  if (operation.answer === "messages") return `${name} open([${path.join(", ")}], ${objectLiteral(sent)}, options),`;
  const code = `call(${text(route.method)}, [${path.join(", ")}], ${objectLiteral(given)}, options)`;
  return `${name} ${operation.answer === "events" ? listening(route.method, code) : code},`;
}

/** What is given at once, and read as it comes. */
function isIterated({ answer }: Operation): boolean {
  return answer === "events" || answer === "messages";
}

/** Only a GET is asked again: another call would do something twice. */
function listening(method: string, code: string): string {
  return `listen(${text(method)}, (options) => ${code}, ${method === "GET" ? "options" : "{ ...options, reconnect: false }"})`;
}

/** Under the names of the wire. */
function queryText(query: readonly BoundField[]): string {
  if (query.every(({ property, wire }) => property === wire)) return "query";
  const members = query.map(
    (field) => `${key(field.wire)}: ${property("query?", field.property).replace("?[", "?.[")}`,
  );
  return `query: ${objectLiteral(members)}`;
}

/** Positional: the path, the body, the query, and what concerns the call. */
function parameters(operation: Operation, nameOf: NameOf): readonly Parameter[] {
  const { endpoint, path, query } = operation;
  const { request } = endpoint;
  const names = pathNames(operation);
  const queryOptional = !query.some(isRequired);
  const bodyOptional = queryOptional && (request.whole?.optional ?? request.body.every(({ optional }) => optional));
  const all: Parameter[] = path.map((field, i) => {
    return { name: names[i] ?? "", type: scalarText(field.type), optional: false };
  });
  if (bodySchemas(request).length > 0) {
    const type = bodyText(request, nameOf);
    all.push({ name: "body", type, optional: bodyOptional });
  }
  if (query.length > 0) {
    all.push({ name: "query", type: membersText(query.map(boundMember), "  "), optional: queryOptional });
  }
  all.push({ name: "options", type: optionsText(operation), optional: true });
  return all;
}

function bodyText({ whole, type, body }: RequestShape, nameOf: NameOf): string {
  if (whole?.schema !== undefined) return typeText(whole.schema, nameOf, "  ");
  return type === undefined ? fieldsText(body, nameOf, "  ") : nameOf(type);
}

function boundMember(field: BoundField): Member {
  const scalar = scalarText(field.type);
  const type = field.list ? `readonly ${scalar.includes(" | ") ? `(${scalar})` : scalar}[]` : scalar;
  const optional = !isRequired(field);
  return {
    doc: [field.doc, limitNote(field.type), ...(field.type.kind === "int64" ? [int64Note] : [])],
    text: `${key(field.property)}${optional ? "?" : ""}: ${type}${optional ? " | undefined" : ""}`,
  };
}

/** The headers that the endpoint reads by their names; any of them may be one of every call. */
function optionsText({ endpoint, answer, headers }: Operation): string {
  const options = optionsName(endpoint, answer);
  if (headers.length === 0) return options;
  const members = headers.map((field) =>
    boundMember({ ...field, property: field.wire, optional: true, ...requiredDoc(field) }),
  );
  return `${options} & { readonly headers?: ${membersText(members, "  ")} }`;
}

function optionsName({ route }: Endpoint, answer: Operation["answer"]): string {
  if (answer === "messages") return "ApiSocketOptions";
  return answer === "events" && route.method === "GET" ? "ApiEventOptions" : "ApiCallOptions";
}

function requiredDoc(field: BoundField): { readonly doc?: string } {
  if (!isRequired(field)) return {};
  const required = "Required, here or among the headers of every call.";
  return { doc: field.doc === undefined ? required : `${field.doc}\n\n${required}` };
}

function answerText({ endpoint, answer }: Operation, nameOf: NameOf): string {
  const { messages } = endpoint;
  if (messages !== undefined)
    return `ApiSocket<${typeText(messages.received, nameOf, "  ")}, ${typeText(messages.sent, nameOf, "  ")}>`;
  if (answer === "json or nothing") return `${typeText(jsonOf(endpoint.response), nameOf, "  ")} | undefined`;
  return typeText(endpoint.response, nameOf, "  ");
}

function docOf({ endpoint, cookies, path }: Operation, { described, door }: Words): readonly (string | undefined)[] {
  const notes = path.flatMap(({ property, doc }) => (doc === undefined ? [] : [`${property}: ${doc}`]));
  const { messages } = endpoint;
  const sent = cookies.map(({ wire }) => `"${wire}"`);
  return [
    described.declarations.get(declarationKey(endpoint.declaration)),
    `${endpoint.route.pattern}, ${door(endpoint)}`,
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(sent.length === 0
      ? []
      : [`Reads the ${sent.length === 1 ? "cookie" : "cookies"} ${sent.join(", ")}, which the browser sends.`]),
    ...([endpoint.response, messages?.received, messages?.sent].some((schema) => schema && holdsInt64(schema))
      ? [int64Note]
      : []),
  ];
}

/** Names for the values of a path that no other parameter has, and that are no words of the language. */
function pathNames({ path }: Operation): readonly string[] {
  const taken = new Set(["body", "query", "options", "call", "listen", "open"]);
  const take = (wanted: string): string => {
    let name = wanted.replace(/[^\p{ID_Continue}$]/gu, "_");
    if (!/^[\p{ID_Start}_$]/u.test(name) || reserved.has(name)) name = `_${name}`;
    while (taken.has(name)) name = `${name}_`;
    taken.add(name);
    return name;
  };
  return path.map((field) => take(field.property));
}

const reserved: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);
