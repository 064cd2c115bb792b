import type { App } from "../../model/app.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { wireSchemas } from "../../model/wire-schemas.ts";
import { doorTexts } from "../graph/door.ts";
import { key } from "../text.ts";
import type { Schema } from "../../model/schema.ts";
import { holds } from "../reach.ts";
import { commentText, docLines } from "./doc-lines.ts";
import { implementation, signature, type Words } from "./methods.ts";
import {
  answerOf,
  jsonOf,
  operationsOf,
  refusalsIn,
  typesIn,
  otherEndpoints,
  whyLeftOut,
  type LeftOut,
  type Operation,
} from "./operations.ts";
import { refusalsOf } from "./refusals.ts";
import { eventsText } from "./events-text.ts";
import { pauseText } from "./pause-text.ts";
import { socketConnectionText } from "./socket-connection-text.ts";
import { socketsText } from "./sockets-text.ts";
import { runtimeText } from "./runtime-text.ts";
import { typeNames } from "./type-names.ts";
import { fieldsText, typeText, type NameOf } from "./type-text.ts";

/** Where the client is written to, relative to the application's root. */
export const clientPath = ".fw/gen/client/ts/api.ts";

/** The client, or why there is none. */
export type GeneratedClient = { readonly text: string } | { readonly refusals: readonly Diagnostic[] };

/** The TypeScript client of an application's APIs and sockets: one file that imports nothing. Equal applications give equal texts. */
export function generateClient(app: App, described: Descriptions): GeneratedClient {
  const all = operationsOf(app, "api", "socket");
  const operations = all.filter(({ endpoint }) => whyLeftOut(endpoint) === undefined);
  const refusals = refusalsOf(operations, app.types, described);
  if (refusals.length > 0) return { refusals };
  const leftOut = all.flatMap(({ endpoint }): LeftOut[] => {
    const why = whyLeftOut(endpoint);
    return why === undefined ? [] : [{ endpoint, why }];
  });
  const ids = typesIn(operations, app.types);
  const names = typeNames(ids);
  const nameOf: NameOf = (id) => names.get(id) ?? missing(id);
  const words: Words = { nameOf, described, door: doorTexts(app) };
  const parts = [
    headText(app, [...leftOut, ...otherEndpoints(app, "mount")]),
    ...(usesJson(operations, app) ? [jsonText] : []),
    ...ids.map((id) => namedText(id, app, operations, words)),
    interfaceText(app, operations, words),
    factoryText(operations),
    ...refusalsText(operations, nameOf),
    runtimeText,
    ...(operations.some(({ answer }) => answer === "events") ? [eventsText] : []),
    ...(operations.some(isSocket) ? [socketsText, socketConnectionText] : []),
    ...(operations.some((operation) => isSocket(operation) || operation.answer === "events") ? [pauseText] : []),
  ];
  return { text: parts.join("\n") };
}

function missing(id: string): never {
  throw new Error(`no name for the type ${id}`);
}

/** What is left out, and why. */
function headText({ name }: App, leftOut: readonly LeftOut[]): string {
  const lines = leftOut.map(({ endpoint: { declaration, route }, why }) =>
    commentText(`  ${declaration.variable} (${route.pattern}, ${declaration.module}): ${why}`),
  );
  return [
    `The client of ${commentText(name)}. "fw gen client ts" writes this file; what is changed here is lost.`,
    ...(lines.length === 0 ? [] : ["", "Without a method:", ...lines]),
  ]
    .map((line) => (line === "" ? "//\n" : `// ${line}\n`))
    .join("");
}

function usesJson(operations: readonly Operation[], { types }: App): boolean {
  return operations.some(({ endpoint }) => wireSchemas(endpoint).some((schema) => holds(schema, "json", types)));
}

const jsonText = `/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
`;

/** A named type; one that only a request has is its body. */
function namedText(id: string, { types }: App, operations: readonly Operation[], { nameOf, described }: Words): string {
  const doc = docLines([described.types.get(id)?.doc], "");
  const name = nameOf(id);
  const request = operations.find(({ endpoint }) => endpoint.request.type === id && endpoint.request.body.length > 0);
  const schema = types[id] ?? { kind: "object", fields: request?.endpoint.request.body ?? [] };
  const declared =
    schema.kind === "object"
      ? `export interface ${name} ${fieldsText(schema.fields, nameOf, "", true)}`
      : `export type ${name} = ${typeText(schema, nameOf)};`;
  return [...doc, declared, ""].join("\n");
}

function interfaceText({ name }: App, operations: readonly Operation[], words: Words): string {
  const methods = operations.map((operation) => signature(operation, words).join("\n"));
  return [
    ...docLines([`The APIs of ${name}. A refusal is an ApiError.`], ""),
    "export interface ApiClient {",
    methods.join("\n\n"),
    "}",
    "",
  ].join("\n");
}

/** What APIs refuse with besides errors, and how it is told; nothing where none does. */
function refusalsText(operations: readonly Operation[], nameOf: NameOf): readonly string[] {
  const members = operations.flatMap((operation) => {
    const refused = refusalsIn(operation).map(
      ({ status, body }) => `    ${status}: ${refusalText(status, body, nameOf)};`,
    );
    return refused.length === 0 ? [] : [`  ${key(operation.endpoint.declaration.variable)}: {`, ...refused, "  };"];
  });
  if (members.length === 0) return [];
  return [`${refusalsHead}\nexport interface ApiRefusals {\n${members.join("\n")}\n}\n`, isRefusalText];
}

/** Statuses that fw answers with, too, whatever the API does: then the body is an error. */
const frameworkStatuses: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 431, 500, 503, 504,
]);

function refusalText(status: number, body: Schema, nameOf: NameOf): string {
  const carried = answerOf(body);
  const isJson = carried === "json" || carried === "json or nothing";
  const json = isJson ? typeText(jsonOf(body), nameOf, "    ") : "undefined";
  return frameworkStatuses.has(status) ? `${json} | { error: string }` : json;
}

const refusalsHead = "/** What APIs refuse with besides an error, by method and status. */";

const isRefusalText = `/** True for the refusal of a method with a status: \`error.body\` is then what the API sends with it. */
export function isRefusal<Method extends keyof ApiRefusals, Status extends keyof ApiRefusals[Method] & number>(
  error: unknown,
  _method: Method,
  status: Status,
): error is ApiError & { readonly status: Status; readonly body: ApiRefusals[Method][Status] } {
  return error instanceof ApiError && error.status === status;
}
`;

function isSocket({ answer }: Operation): boolean {
  return answer === "messages";
}

function factoryText(operations: readonly Operation[]): string {
  const sockets = operations.filter(isSocket);
  const calls = sockets.length < operations.length;
  return [
    "/** Without options it calls where the page is from, with its session. */",
    "export function createClient(options: ApiOptions = {}): ApiClient {",
    calls ? "  const call = caller(options);" : "  caller(options);",
    ...(sockets.length === 0 ? [] : ["  const open = opener(options);"]),
    ...(operations.length === 0 ? ["  return {};"] : ["  return {", ...operations.map(implementation), "  };"]),
    "}",
    "",
  ].join("\n");
}
