import type { App } from "../../model/app.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import { wireSchemas } from "../../model/wire-schemas.ts";
import { accessTexts } from "../graph/access.ts";
import { holds } from "../schema-queries.ts";
import { key } from "../text.ts";
import { commentText, docLines } from "./doc-lines.ts";
import { eventsText } from "./events-text.ts";
import { type ClientText, implementation, signature } from "./methods.ts";
import {
  answerOf,
  jsonOf,
  type Omission,
  omissionReason,
  omittedEndpoints,
  type Operation,
  operationsOf,
  refusalsIn,
  typesIn,
} from "./operations.ts";
import { clientProblems } from "./refusals.ts";
import { runtimeText } from "./runtime-text.ts";
import { socketConnectionText } from "./socket-connection-text.ts";
import { socketsText } from "./sockets-text.ts";
import { typeNames } from "./type-names.ts";
import { fieldsText, type NameOf, typeText } from "./type-text.ts";

/**
 * The client's function that waits for some milliseconds, or rejects when a signal aborts; only in clients with sockets
 * or event streams, which can reconnect.
 */
const pauseText = `function pause(ms: number, signal: globalThis.AbortSignal | undefined) {
  return new globalThis.Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
`;

/** The default path of the client, relative to the application's root. */
export const clientPath = ".fw/gen/client/ts/api.ts";

export type GeneratedClient = { readonly text: string } | { readonly refusals: readonly Diagnostic[] };

/**
 * Generates the TypeScript client of an application's APIs and sockets: one file without imports. Equal applications
 * give equal texts. Returns only the problems if there are any.
 */
export function generateClient(app: App, described: Descriptions): GeneratedClient {
  const all = operationsOf(app, "api", "socket");
  const operations = all.filter(({ endpoint }) => omissionReason(endpoint) === undefined);
  const refusals = clientProblems(operations, app.types, described);
  if (refusals.length > 0) return { refusals };
  const ids = typesIn(operations, app.types);
  const nameOf = namesOfTypes(ids);
  const words: ClientText = { nameOf, described, door: accessTexts(app) };
  const parts = [
    headText(app, [...omissionsOf(all), ...omittedEndpoints(app, "mount")]),
    ...(usesJson(operations, app) ? [jsonText] : []),
    ...ids.map((id) => namedTypeText(id, app, operations, words)),
    interfaceText(app, operations, words),
    factoryText(operations),
    ...refusalTypes(operations, nameOf),
    ...errorBodyType(operations, nameOf),
    runtimeText,
    ...(operations.some(({ answer }) => answer === "events") ? [eventsText] : []),
    ...(operations.some(isSocket) ? [socketsText, socketConnectionText] : []),
    ...(operations.some((operation) => isSocket(operation) || operation.answer === "events") ? [pauseText] : []),
  ];
  return { text: parts.join("\n") };
}

function omissionsOf(operations: readonly Operation[]): readonly Omission[] {
  return operations.flatMap(({ endpoint }) => {
    const why = omissionReason(endpoint);
    return why === undefined ? [] : [{ endpoint, why }];
  });
}

function namesOfTypes(ids: readonly string[]): NameOf {
  const names = typeNames(ids);
  return (id) => names.get(id) ?? missing(id);
}

function missing(id: string): never {
  throw new Error(`no name for the type ${id}`);
}

/** Generates the head comment, which lists the endpoints without a method. */
function headText({ name }: App, leftOut: readonly Omission[]): string {
  const lines = leftOut.map(({ endpoint: { declaration, route }, why }) =>
    commentText(`  ${declaration.variable} (${route.pattern}, ${declaration.module}): ${why}`),
  );
  return [
    `The client of ${commentText(name)}. "fw gen client ts" generates this file; do not edit it.`,
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

/** Generates a named type. A request type contains only the fields of the body. */
function namedTypeText(
  id: string,
  { types }: App,
  operations: readonly Operation[],
  { nameOf, described }: ClientText,
): string {
  const doc = docLines([described.types.get(id)?.doc], "");
  const name = nameOf(id);
  const request = operations.find(({ endpoint }) => endpoint.request.type === id && endpoint.request.body.length > 0);
  const schema = types[id] ?? { kind: "object", fields: request?.endpoint.request.body ?? [] };
  const definition =
    schema.kind === "object"
      ? `export interface ${name} ${fieldsText(schema.fields, nameOf, "", true)}`
      : `export type ${name} = ${typeText(schema, nameOf)};`;
  return [...doc, definition, ""].join("\n");
}

function interfaceText({ name }: App, operations: readonly Operation[], words: ClientText): string {
  const methods = operations.map((operation) => signature(operation, words).join("\n"));
  return [
    ...docLines([`The APIs of ${name}. A response with an error status is thrown as an ApiError.`], ""),
    "export interface ApiClient {",
    methods.join("\n\n"),
    "}",
    "",
  ].join("\n");
}

/**
 * Generates the types of the error replies that APIs declare, and the function that recognizes these replies; empty if
 * there are none.
 */
function refusalTypes(operations: readonly Operation[], nameOf: NameOf): readonly string[] {
  const members = operations.flatMap((operation) => {
    const rows = refusalsIn(operation).map(
      ({ status, body }) => `    ${status}: ${refusalType(status, body, operation.errors, nameOf)};`,
    );
    return rows.length === 0 ? [] : [`  ${key(operation.endpoint.declaration.variable)}: {`, ...rows, "  };"];
  });
  if (members.length === 0) return [];
  return [`${refusalsHead}\nexport interface ApiRefusals {\n${members.join("\n")}\n}\n`, isRefusalText];
}

/** Generates the type for error bodies that an ErrorShape creates; empty without one. */
function errorBodyType(operations: readonly Operation[], nameOf: NameOf): readonly string[] {
  const bodies = new Set(operations.flatMap(({ errors }) => (errors ? [typeText(errors, nameOf)] : [])));
  if (bodies.size === 0) return [];
  const doc = "/** The body of an error response, as the application shapes it: the type of `error.body`. */";
  return [`${doc}\nexport type ApiErrorBody = ${[...bodies].join(" | ")};\n`];
}

/** Statuses that fw itself may return for any API, with an error as the body. */
const frameworkStatuses: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 431, 500, 503, 504,
]);

function refusalType(status: number, body: Schema, errors: Schema | undefined, nameOf: NameOf): string {
  const answerKind = answerOf(body);
  const isJson = answerKind === "json" || answerKind === "json or nothing";
  const json = isJson ? typeText(jsonOf(body), nameOf, "    ") : "undefined";
  if (!frameworkStatuses.has(status) || body === errors) return json;
  return `${json} | ${errors === undefined ? "{ error: string }" : typeText(errors, nameOf, "    ")}`;
}

const refusalsHead = "/** The declared error replies of APIs, by method and status. */";

const isRefusalText = `/** True for a declared error reply of a method: \`error.body\` then has its type. */
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
    "/** Without options, the client calls the origin of the page with its session. */",
    "export function createClient(options: ApiOptions = {}): ApiClient {",
    calls ? "  const call = caller(options);" : "  caller(options);",
    ...(sockets.length === 0 ? [] : ["  const open = opener(options);"]),
    ...(operations.length === 0 ? ["  return {};"] : ["  return {", ...operations.map(implementation), "  };"]),
    "}",
    "",
  ].join("\n");
}
