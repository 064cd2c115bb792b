import { bindings, bindingSources } from "../../model/bindings.ts";
import { formBytes, jsonBytes, multipartBytes } from "../../lib/limits.ts";
import type { App, Endpoint, Package } from "../../model/app.ts";
import { declarationKey, endpointsOf, knowsVisitors, settingsOf } from "../../model/declarations.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { BoundField, RequestShape } from "../../model/request-shape.ts";
import type { TypeTable } from "../../model/schema.ts";
import { exampleOf } from "../example.ts";
import { isRequired, operationsOf, omittedEndpoints, typesIn, type Operation } from "../client/operations.ts";
import { accessTexts } from "../graph/access.ts";
import { directionsOf } from "./directions.ts";
import {
  boundSchema,
  withDescription,
  jsonSchema,
  objectSchema,
  type Direction,
  type JsonSchema,
} from "./json-schema.ts";
import { refusals, responsesOf } from "./responses.ts";
import { schemesOf, credentialSets } from "./security.ts";

export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  /** Present if servers are requested and all services with operations have the same domain. */
  readonly servers?: readonly Server[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: JsonSchema;
  /** Endpoints that OpenAPI cannot describe, each with the reason; absent if there are none. */
  readonly "x-fw-left-out"?: readonly { readonly route: string; readonly why: string }[];
}

interface Server {
  readonly url: string;
}

interface DocumentContext {
  readonly types: TypeTable;
  readonly described: Descriptions;
  readonly requests: Direction;
  readonly answers: Direction;
  readonly door: (endpoint: Endpoint) => string;
  readonly operationId: (endpoint: Endpoint) => string;
  /** The accepted credentials, as alternative sets. */
  readonly security: readonly JsonSchema[];
  readonly packageOf: ReadonlyMap<Endpoint, Package>;
  /** The server of an operation whose service has its own domain; undefined if the document's servers apply. */
  readonly serverOf: (endpoint: Endpoint) => Server | undefined;
}

interface OpenApiOptions {
  /** Lists the services' domains as servers. Otherwise operations are relative to the document's own address. */
  readonly servers?: boolean;
}

/**
 * Generates an OpenAPI 3.1 document of the APIs that other programs may call. Equal applications result in equal
 * documents.
 */
export function openApi(app: App, descriptions: Descriptions, options: OpenApiOptions = {}): OpenApi {
  const operations = operationsOf(app, "api").filter(({ endpoint }) => !endpoint.settings.private);
  const packageOf = packagesByEndpoint(app);
  const packages = [...new Set(operations.flatMap(({ endpoint }) => packageOf.get(endpoint) ?? []))];
  const domains = new Set(options.servers === true ? packages.map((pkg) => settingsOf(pkg)?.domain) : []);
  const ids = typesIn(operations, app.types);
  const { components, ...directions } = directionsOf(ids, operations, app.types);
  const words: DocumentContext = {
    types: app.types,
    described: descriptions,
    ...directions,
    door: accessTexts(app),
    operationId: operationIds(operations),
    security: credentialSets(app).map((way) => Object.fromEntries(way.map(({ name }) => [name, []]))),
    packageOf,
    serverOf: (endpoint) => {
      const pkg = domains.size > 1 ? packageOf.get(endpoint) : undefined;
      return pkg && serverAt(settingsOf(pkg)?.domain);
    },
  };
  return {
    openapi: "3.1.0",
    info: { title: app.name, version: "0", ...descriptions.about },
    ...commonServer(domains),
    tags: packages.map((pkg) => tagOf(pkg, descriptions)),
    ...omittedRoutes(app),
    paths: pathsOf(operations, words),
    components: {
      schemas: Object.fromEntries(
        components.map(({ id, direction }) => [direction.nameOf(id), namedSchema(id, operations, direction, words)]),
      ) as JsonSchema,
      responses: refusals,
      ...(knowsVisitors(app) ? { securitySchemes: schemesOf(app) } : {}),
    },
  };
}

function packagesByEndpoint(app: App): ReadonlyMap<Endpoint, Package> {
  return new Map(app.packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => [endpoint, pkg] as const)));
}

function commonServer(domains: ReadonlySet<string | undefined>): { readonly servers?: readonly Server[] } {
  const server = domains.size === 1 ? serverAt([...domains][0]) : undefined;
  return server === undefined ? {} : { servers: [server] };
}

function omittedRoutes(app: App): JsonSchema {
  const routes = omittedEndpoints(app, "mount", "socket").map(({ endpoint, why }) => ({
    route: endpoint.route.pattern,
    why,
  }));
  return routes.length === 0 ? {} : { "x-fw-left-out": routes };
}

function serverAt(domain: string | undefined): Server | undefined {
  return domain === undefined ? undefined : { url: `https://${domain}` };
}

/** Returns a service as a tag, described by the doc comment of its Service. */
function tagOf(pkg: Package, { declarations }: Descriptions): OpenApi["tags"][number] {
  const service = settingsOf(pkg);
  const description = service && declarations.get(declarationKey(service.declaration));
  return { name: pkg.service, ...(description === undefined ? {} : { description }) };
}

/** Names operations by their variables, prefixed with the module if two share a name. */
function operationIds(operations: readonly Operation[]): (endpoint: Endpoint) => string {
  const counts = new Map<string, number>();
  for (const { endpoint } of operations) {
    const { variable } = endpoint.declaration;
    counts.set(variable, (counts.get(variable) ?? 0) + 1);
  }
  return ({ declaration: { module, variable } }) =>
    counts.get(variable) === 1 ? variable : `${module.replace(/\.\w+$/, "").replaceAll(/\W+/g, "_")}_${variable}`;
}

/** Merges paths that differ only in parameter names, and uses the names of the first one. */
function pathsOf(operations: readonly Operation[], words: DocumentContext): OpenApi["paths"] {
  const paths = new Map<string, Path>();
  for (const operation of operations) {
    const { route } = operation.endpoint;
    const shape = route.segments.map((segment) => ("literal" in segment ? `/${segment.literal}` : "/{}")).join("");
    const path = paths.get(shape) ?? {
      text: route.pattern.slice(route.pattern.indexOf("/")),
      names: route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : [])),
      methods: {},
    };
    paths.set(shape, path);
    // Two services may have the same route. As on a single port, the first one wins.
    path.methods[route.method.toLowerCase()] ??= operationObject(operation, path.names, words);
  }
  return Object.fromEntries([...paths.values()].map(({ text, methods }) => [text, methods]));
}

interface Path {
  readonly text: string;
  /** The names of its parameters, in order. */
  readonly names: readonly string[];
  readonly methods: Record<string, JsonSchema>;
}

function operationObject(operation: Operation, names: readonly string[], words: DocumentContext): JsonSchema {
  const { endpoint } = operation;
  const { request, settings } = endpoint;
  const [summary, ...rest] = paragraphsOf(words.described.declarations.get(declarationKey(endpoint.declaration)));
  const parameters = parametersOf(operation, names);
  const body = bodyOf(operation, words);
  const service = words.packageOf.get(endpoint)?.service;
  const server = words.serverOf(endpoint);
  return {
    operationId: words.operationId(endpoint),
    ...(service === undefined ? {} : { tags: [service] }),
    ...(server === undefined ? {} : { servers: [server] }),
    ...(summary === undefined ? {} : { summary: summary.replaceAll("\n", " ") }),
    ...(rest.length === 0 ? {} : { description: rest.join("\n\n") }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(operation, words),
    ...(settings.signIn ? { security: words.security } : {}),
    "x-fw-door": words.door(endpoint),
    ...(request.carries === "nothing" ? {} : { "x-fw-max-bytes": settings.maxBody ?? mostBytes[request.carries] }),
  };
}

function paragraphsOf(text: string = ""): readonly (string | undefined)[] {
  return text === "" ? [] : text.split(/\n\s*\n/);
}

const mostBytes = {
  json: jsonBytes,
  raw: jsonBytes,
  form: formBytes,
  multipart: multipartBytes,
  stream: jsonBytes,
} as const;

function parameter(field: BoundField, where: string, name: string = field.wire): JsonSchema {
  return {
    name,
    in: where,
    ...(field.doc === undefined ? {} : { description: field.doc }),
    ...(where === "path" || isRequired(field) ? { required: true } : {}),
    schema: boundSchema(field),
  };
}

function parametersOf(operation: Operation, names: readonly string[]): readonly JsonSchema[] {
  const { bound } = operation.endpoint.request;
  return [
    ...operation.path.map((field, i) => parameter(field, "path", names[i])),
    ...bindingSources.flatMap((source) => {
      if (bindings[source].call === "path" || bindings[source].call === "form") return [];
      return bound.filter((field) => field.source === source).map((field) => parameter(field, source));
    }),
  ];
}

function bodyOf({ endpoint: { request } }: Operation, { requests, types }: DocumentContext): JsonSchema | undefined {
  if (request.carries === "nothing") return undefined;
  if (request.carries === "raw") return { content: { "*/*": {} } };
  const { whole } = request;
  const bodyExample = exampleOf(request, types);
  const example = bodyExample === undefined ? {} : { example: bodyExample.value };
  if (whole?.schema !== undefined) {
    const schema = withDescription(jsonSchema(whole.schema, requests), whole.doc);
    return { ...(whole.optional ? {} : { required: true }), content: { "application/json": { schema, ...example } } };
  }
  if (request.carries === "json") {
    const schema = isWholly(request, types)
      ? { $ref: `#/components/schemas/${requests.nameOf(request.type)}` }
      : objectSchema(request.body, requests);
    const required = request.body.some(({ optional }) => !optional);
    return { ...(required ? { required } : {}), content: { "application/json": { schema, ...example } } };
  }
  return formBody(request);
}

function formBody({ bound, carries }: Operation["endpoint"]["request"]): JsonSchema {
  const fields = bound.filter(({ source }) => source === "form");
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.wire, withDescription(boundSchema(field), field.doc)])),
    required: fields.filter(isRequired).map(({ wire }) => wire),
  };
  const mediaTypes =
    carries === "form" ? ["application/x-www-form-urlencoded", "multipart/form-data"] : ["multipart/form-data"];
  return { required: true, content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])) };
}

/**
 * True if the component of the request's type describes exactly the body: no fields are bound, or the component omits
 * them because only requests use the type.
 */
function isWholly(request: RequestShape, types: TypeTable): request is RequestShape & { readonly type: string } {
  return request.type !== undefined && (request.bound.length === 0 || types[request.type] === undefined);
}

function namedSchema(
  id: string,
  operations: readonly Operation[],
  direction: Direction,
  { types, described: descriptions }: DocumentContext,
): JsonSchema {
  const request = operations.find(({ endpoint }) => endpoint.request.type === id && endpoint.request.body.length > 0);
  const schema = types[id];
  const jsonSchemaOfType =
    schema === undefined
      ? objectSchema(request?.endpoint.request.body ?? [], direction)
      : jsonSchema(schema, direction);
  return withDescription(jsonSchemaOfType, descriptions.types.get(id)?.doc);
}
