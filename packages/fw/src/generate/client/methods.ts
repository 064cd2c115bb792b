import { declarationKey } from "../../model/declarations.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { Endpoint } from "../../model/app.ts";
import { bodySchemas, type BoundField, type RequestShape } from "../../model/request-shape.ts";
import { key, objectLiteral, property, text } from "../text.ts";
import { limitNote } from "../limit-notes.ts";
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

export interface ClientText {
  readonly nameOf: NameOf;
  readonly described: Descriptions;
  /** Describes the access rule of an endpoint. */
  readonly door: (endpoint: Endpoint) => string;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** Generates the lines of a method's signature, with its doc comment. */
export function signature(operation: Operation, words: ClientText): readonly string[] {
  const { endpoint } = operation;
  const list = parameters(operation, words.nameOf).map(
    ({ name, optional, type }) => `${name}${optional ? "?" : ""}: ${type}`,
  );
  const answer = answerText(operation, words.nameOf);
  const result = isStream(operation) ? answer : `globalThis.Promise<${answer}>`;
  return [
    ...docLines(docOf(operation, words), "  "),
    `  ${key(endpoint.declaration.variable)}(${list.join(", ")}): ${result};`,
  ];
}

export function implementation(operation: Operation): string {
  const { endpoint, query } = operation;
  const names = pathNames(operation);
  const body = bodySchemas(endpoint.request).length === 0 ? [] : ["body"];
  const parameters = [...names, ...body, ...(query.length === 0 ? [] : ["query"]), "options"];
  const head = `    ${key(endpoint.declaration.variable)}: (${parameters.join(", ")}) =>`;
  const path = pathCode(operation, names);
  const queryMembers = query.length === 0 ? [] : [queryText(query)];
  if (operation.answer === "messages") return `${head} open(${path}, ${objectLiteral(queryMembers)}, options),`;
  return `${head} ${callCode(operation, path, [...queryMembers, ...body])},`;
}

function callCode({ endpoint, answer }: Operation, path: string, sent: readonly string[]): string {
  const { method } = endpoint.route;
  const members = [...sent, `answer: ${text(answer === "events" ? "file" : answer)}`];
  const code = `call(${text(method)}, ${path}, ${objectLiteral(members)}, options)`;
  return answer === "events" ? listenCall(method, code) : code;
}

function pathCode({ endpoint, path }: Operation, names: readonly string[]): string {
  const properties = new Map(path.map((field, i) => [field.wire, names[i] ?? ""]));
  const segments = endpoint.route.segments.map((segment) =>
    "literal" in segment ? text(segment.literal) : (properties.get(segment.param) ?? ""),
  );
  return `[${segments.join(", ")}]`;
}

/** True if the method returns a stream of values rather than a promise. */
function isStream({ answer }: Operation): boolean {
  return answer === "events" || answer === "messages";
}

/**
 * Generates the call that yields a stream of events. Reconnects only for GET, because repeating another method could
 * repeat its effects.
 */
function listenCall(method: string, code: string): string {
  return `listen(${text(method)}, (options) => ${code}, ${method === "GET" ? "options" : "{ ...options, reconnect: false }"})`;
}

/** Generates the `query` of a call, with wire names for fields. */
function queryText(query: readonly BoundField[]): string {
  if (query.every(({ property, wire }) => property === wire)) return "query";
  const members = query.map(
    (field) => `${key(field.wire)}: ${property("query?", field.property).replace("?[", "?.[")}`,
  );
  return `query: ${objectLiteral(members)}`;
}

/** Returns the positional parameters: the path's values, the body, the query and the options. */
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

/**
 * Generates the type of a call's options. All headers are optional, because the client may send them with every call.
 */
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

function docOf(
  { endpoint, cookies, path }: Operation,
  { described, door }: ClientText,
): readonly (string | undefined)[] {
  const notes = path.flatMap(({ property, doc }) => (doc === undefined ? [] : [`${property}: ${doc}`]));
  const { messages } = endpoint;
  const cookieNames = cookies.map(({ wire }) => `"${wire}"`);
  return [
    described.declarations.get(declarationKey(endpoint.declaration)),
    `${endpoint.route.pattern}, ${door(endpoint)}`,
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(cookieNames.length === 0
      ? []
      : [
          `Reads the ${cookieNames.length === 1 ? "cookie" : "cookies"} ${cookieNames.join(", ")}, which the browser sends.`,
        ]),
    ...([endpoint.response, messages?.received, messages?.sent].some((schema) => schema && holdsInt64(schema))
      ? [int64Note]
      : []),
  ];
}

/** Returns parameter names for path values that avoid clashes and reserved words. */
function pathNames({ path }: Operation): readonly string[] {
  const usedNames = new Set(["body", "query", "options", "call", "listen", "open"]);
  const take = (baseName: string): string => {
    let name = baseName.replace(/[^\p{ID_Continue}$]/gu, "_");
    if (!/^[\p{ID_Start}_$]/u.test(name) || reserved.has(name)) name = `_${name}`;
    while (usedNames.has(name)) name = `${name}_`;
    usedNames.add(name);
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
