import type { App, Endpoint, Package } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../model/declarations.ts";
import type { RequestShape } from "../model/request-shape.ts";
import { bodySchemas } from "../model/request-shape.ts";
import { reachable, type Schema, type TypeTable } from "../model/schema.ts";
import { isRequired } from "./client/operations.ts";
import { typeNames } from "./client/type-names.ts";
import { ImportLines, type Specifiers } from "./import-lines.ts";
import {
  boundSchema,
  jsonSchema,
  objectSchema,
  withDescription,
  type Direction,
  type JsonSchema,
} from "./openapi/json-schema.ts";
import type { Remote } from "./remote-module.ts";
import { text } from "./text.ts";

/** The generated module that exports the MCP servers of a bundle as `servers`. */
export const mcpSpecifier = "fw:mcp";

/** A mount that offers APIs as tools. */
type McpServer = Endpoint & Required<Pick<Endpoint, "tools">>;

export function mcpServers(packages: readonly Package[]): readonly McpServer[] {
  return allOfKind(packages, "mount").filter((mount): mount is McpServer => mount.tools !== undefined);
}

/** Generates the module of MCP servers. Their tools are endpoints of the bundle, or `remotes` of other services. */
export function mcpModule(
  servers: readonly McpServer[],
  app: App,
  remotes: readonly Remote[],
  specifiers: Specifiers,
): string {
  const lines = new ImportLines(specifiers);
  const all = [...app.packages.flatMap(endpointsOf), ...remotes.map(({ endpoint }) => endpoint)];
  const byKey = new Map(all.map((endpoint) => [declarationKey(endpoint.declaration), endpoint]));
  const entries = servers.flatMap((server) => {
    const tools = server.tools.flatMap((key) => byKey.get(declarationKey(key)) ?? []);
    const instructions = app.mcp?.docs[declarationKey(server.declaration)];
    return [
      "  {",
      `    declaration: ${lines.declaration(server.declaration)},`,
      `    info: { name: ${text(app.name)}, version: ${text(app.mcp?.version ?? "0")} },`,
      ...(instructions === undefined ? [] : [`    instructions: ${text(instructions)},`]),
      "    tools: [",
      ...tools.map((tool) => `      ${toolText(tool, app, lines)},`),
      "    ],",
      "  },",
    ];
  });
  return [...lines.lines, "export const servers = [", ...entries, "];", ""].join("\n");
}

function toolText(endpoint: Endpoint, app: App, lines: ImportLines): string {
  const { request } = endpoint;
  const facts = {
    ...toolDefinition(endpoint, app),
    path: pathOf(endpoint),
    fields: request.bound
      .filter(({ source }) => source !== "path")
      .map(({ property, source, wire }) => [property, source, wire]),
    ...(request.carries === "json" && { body: request.whole?.property ?? request.body.map(({ name }) => name) }),
    carriesForm: request.carries === "form",
  };
  const members = Object.entries(facts).map(([name, value]) => `${name}: ${sourceText(value)}`);
  return `{ declaration: ${lines.declaration(endpoint.declaration)}, ${members.join(", ")} }`;
}

function pathOf({ request, route }: Endpoint): readonly (string | readonly [string])[] {
  const parameters = request.bound.filter(({ source }) => source === "path");
  const properties = new Map(parameters.map(({ wire, property }) => [wire, property]));
  return route.segments.map((segment) =>
    "literal" in segment ? segment.literal : [properties.get(segment.param) ?? segment.param],
  );
}

/**
 * Writes a JSON value as JavaScript. Calls `JSON.parse` for a value with `__proto__`, which would set the prototype in
 * a literal.
 */
function sourceText(value: unknown): string {
  const json = text(JSON.stringify(value));
  return typeof value === "object" && json.includes("__proto__") ? `JSON.parse(${json})` : JSON.stringify(value);
}

/** Returns an API's entry in the list of tools, and whether its result is wrapped in an object. */
function toolDefinition(
  endpoint: Endpoint,
  app: App,
): { readonly definition: JsonSchema; readonly wrapsResult: boolean } {
  const key = declarationKey(endpoint.declaration);
  const { schema, wrapsResult } = outputSchema(endpoint, app.types);
  const definition = {
    name: endpoint.declaration.variable,
    description: app.mcp?.docs[key] ?? endpoint.route.pattern,
    inputSchema: inputSchema(endpoint.request, app.types),
    ...(schema && { outputSchema: schema }),
    annotations: app.mcp?.hints[key] ?? {},
  };
  return { definition, wrapsResult };
}

function inputSchema({ bound, body, whole }: RequestShape, types: TypeTable): JsonSchema {
  const schemas = bodySchemas({ body, ...(whole && { whole }) });
  const direction = { ...namesIn(schemas, types), isHeld: true };
  const { properties, required = [], ...others } = objectSchema(body, direction);
  const wholeSchema = whole && withDescription(jsonSchema(whole.schema ?? { kind: "json" }, direction), whole.doc);
  const names = [
    ...bound.filter(isRequired).map(({ property }) => property),
    ...(required as readonly string[]),
    ...(whole && !whole.optional ? [whole.property] : []),
  ];
  return {
    ...others,
    properties: {
      ...Object.fromEntries(bound.map((field) => [field.property, withDescription(boundSchema(field), field.doc)])),
      ...(properties as JsonSchema),
      ...(whole && { [whole.property]: wholeSchema }),
    },
    ...(names.length > 0 && { required: names }),
    additionalProperties: false,
    ...definitions(schemas, types, direction),
  };
}

/**
 * Returns the schema of structured content, which must be an object: any other result becomes its member `result`.
 * `schema` is undefined for an API without a result.
 */
function outputSchema(
  endpoint: Endpoint,
  types: TypeTable,
): { readonly schema?: JsonSchema; readonly wrapsResult: boolean } {
  const variants = resultsOf(endpoint).flatMap(variantsOf);
  const results = variants.filter(({ kind }) => kind !== "void" && kind !== "never");
  const [only, ...others] = results;
  if (only === undefined) return { wrapsResult: false };
  const schema = others.length === 0 ? only : ({ kind: "union", variants: results } as const);
  const isOptional = results.length < variants.length;
  if (!isOptional && isObject(schema, types)) return { schema: objectResult(schema, types), wrapsResult: false };
  return { schema: wrappedResult(schema, isOptional, types), wrapsResult: true };
}

/** The direction of results. Most clients use JavaScript and therefore check numbers as doubles. */
const ofResults = { isHeld: false, hasDoubles: true } as const;

/** Returns the schema of a result that is an object. Inlines a named type, because `type` is required here. */
function objectResult(schema: Schema, types: TypeTable): JsonSchema {
  const top = schema.kind === "ref" ? (types[schema.id] ?? schema) : schema;
  const direction = { ...namesIn([top], types), ...ofResults };
  return { type: "object", ...jsonSchema(top, direction), ...definitions([top], types, direction) };
}

function wrappedResult(schema: Schema, isOptional: boolean, types: TypeTable): JsonSchema {
  const direction = { ...namesIn([schema], types), ...ofResults };
  return {
    type: "object",
    properties: { result: jsonSchema(schema, direction) },
    ...(!isOptional && { required: ["result"] }),
    ...definitions([schema], types, direction),
  };
}

/** Returns the bodies of an API's successful responses. */
function resultsOf({ response, replies }: Endpoint): readonly Schema[] {
  if (replies === undefined) return [response];
  return replies.filter(({ status = 200 }) => status < 400).map(({ body }) => body);
}

function variantsOf(schema: Schema): readonly Schema[] {
  return schema.kind === "union" && schema.tag === undefined ? schema.variants : [schema];
}

function isObject(schema: Schema, types: TypeTable): boolean {
  if (schema.kind === "union") return schema.variants.every((variant) => isObject(variant, types));
  if (schema.kind !== "ref") return schema.kind === "object" || schema.kind === "record";
  const named = types[schema.id];
  return named !== undefined && isObject(named, types);
}

interface TypeNames {
  readonly typesAt: string;
  readonly nameOf: (id: string) => string;
}

function namesIn(schemas: readonly Schema[], types: TypeTable): TypeNames {
  const ids = schemas.flatMap((schema) => [...reachable(schema, types)]);
  const names = typeNames([...new Set(ids)].toSorted(), (name) => name.replaceAll(/[^\w.-]/g, "_"));
  return { typesAt: "#/$defs/", nameOf: (id) => names.get(id) ?? id };
}

/** Returns the named types in some schemas as the `$defs` of a document. */
function definitions(
  schemas: readonly Schema[],
  types: TypeTable,
  direction: Direction,
): { readonly $defs?: JsonSchema } {
  const ids = new Set(schemas.flatMap((schema) => [...reachable(schema, types)]));
  const entries = [...ids].flatMap((id) => {
    const schema = types[id];
    return schema === undefined ? [] : [[direction.nameOf(id), jsonSchema(schema, direction)] as const];
  });
  return entries.length === 0
    ? {}
    : { $defs: Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))) };
}
