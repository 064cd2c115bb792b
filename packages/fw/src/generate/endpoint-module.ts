import { bindingOf } from "../model/bindings.ts";
import { declarationKey } from "../model/declarations.ts";
import type { Endpoint } from "../model/app.ts";
import { bodySchemas } from "../model/request-shape.ts";
import { answerSchemas } from "../model/reply-shape.ts";
import type { TypeTable } from "../model/schema.ts";
import type { BodyDecoder } from "./body-decoder.ts";
import { readBound, sharedReads } from "./bound-fields.ts";
import { decodersOf, functionsOf, type Decoders } from "./decoders.ts";
import { encoderOf, type Encoder } from "./encoder.ts";
import { exposedName } from "./expose.ts";
import type { KeptLimits } from "./kept-limits.ts";
import { hasLimits, holds } from "./reach.ts";
import { callCodec } from "./remote-module.ts";
import { socketCodec } from "./socket-codec.ts";
import { runtimeImports } from "./runtime-imports.ts";
import { key, objectLiteral, property, text } from "./text.ts";

/** Where generated modules import from. */
export interface Specifiers {
  /** The module of the runtime that generated code imports, `fw/runtime`. */
  readonly runtime: string;
  /** The specifier of an application's module, given its path relative to the application's root. */
  readonly module: (path: string) => string;
  /** True where endpoints are called in the process that has them by code of other services. */
  readonly calls?: boolean;
}

/** A module that exports `endpoints(package)`: the bundled endpoints of one module of the application, in order. */
export function endpointModule(endpoints: readonly Endpoint[], types: TypeTable, specifiers: Specifiers): string {
  const decoders = decodersOf(types);
  const decodes = endpoints.map((endpoint, i) => decodeFunction(endpoint, `decode${i}`, decoders, types));
  const encoders = encoderOf(types);
  const policies = policyNames(endpoints);
  const codecs = endpoints.map((endpoint, i) =>
    specifiers.calls ? callCodec(endpoint, i, { decoders, encoders, types }) : undefined,
  );
  const socketCodecs = endpoints.map(
    ({ messages }, i) => messages && socketCodec(messages, i, { decoders, encoders, types }),
  );
  const entries = endpoints.map((endpoint, i) => {
    const members = entry(endpoint, `decode${i}`, encoderName(endpoint, encoders, types), policies, types);
    const codec = codecs[i];
    if (endpoint.messages !== undefined) members.push(`socket: ${socketCodecs[i]?.text ?? ""}`);
    return `  { ${[...members, ...(codec ? [`call: { ${codec.members.join(", ")} }`] : [])].join(", ")} },`;
  });
  const code = [
    ...functionsOf(decoders),
    ...encoders.functions,
    ...decodes,
    ...codecs.flatMap((codec) => codec?.functions ?? []),
    ...socketCodecs.flatMap((codec) => codec?.function ?? []),
    "export const endpoints = (p) => [",
    ...entries,
    "];",
    "",
  ].join("\n");
  return [...imports(endpoints, code, policies, specifiers), code].join("\n");
}

/** What encodes a response; what replies hold is told apart by no tag, so that whatever holds an Int64 is written as it comes. */
function encoderName(endpoint: Endpoint, encoders: Encoder, types: TypeTable): string | undefined {
  if (endpoint.replies === undefined)
    return endpoint.response.kind === "blob" ? undefined : encoders.encoder(endpoint.response);
  return answerSchemas(endpoint).some((schema) => holds(schema, "int64", types)) ? "exactText" : undefined;
}

/** The policies of endpoints, each once, with the names that the module has them by. */
type PolicyNames = ReadonlyMap<string, { readonly policy: PolicyRef; readonly local: string }>;

type PolicyRef = NonNullable<Endpoint["settings"]["allow"]>;

function policyNames(endpoints: readonly Endpoint[]): PolicyNames {
  const names = new Map<string, { readonly policy: PolicyRef; readonly local: string }>();
  for (const { settings } of endpoints) {
    const policy = settings.allow;
    if (policy !== undefined && !names.has(declarationKey(policy))) {
      names.set(declarationKey(policy), { policy, local: `policy${names.size}` });
    }
  }
  return names;
}

function imports(
  endpoints: readonly Endpoint[],
  code: string,
  policies: PolicyNames,
  { runtime, module }: Specifiers,
): string[] {
  const names = endpoints.map((endpoint) => exposedName(endpoint.declaration.variable));
  const path = endpoints[0]?.declaration.module ?? "";
  const allowed = Array.from(policies.values(), ({ policy, local }) => {
    return `import { ${exposedName(policy.variable)} as ${local} } from ${text(module(policy.module))};`;
  });
  return [...runtimeImports(code, runtime), `import { ${names.join(", ")} } from ${text(module(path))};`, ...allowed];
}

function entry(
  endpoint: Endpoint,
  decode: string,
  encode: string | undefined,
  policies: PolicyNames,
  types: TypeTable,
): string[] {
  const { settings, request, route } = endpoint;
  const parts = [
    `declaration: ${exposedName(endpoint.declaration.variable)}`,
    `kind: ${text(endpoint.kind)}`,
    `route: ${text(route.pattern)}`,
    `method: ${text(route.method)}`,
    `package: p`,
    `signIn: ${settings.signIn || settings.allow !== undefined}`,
    ...allowText(settings.allow, policies),
    `private: ${settings.private}`,
    `maxAge: ${settings.maxAge ?? 0}`,
    ...(settings.status === undefined ? [] : [`status: ${settings.status}`]),
    ...(settings.maxBody === undefined ? [] : [`maxBody: ${settings.maxBody}`]),
    `carries: ${text(request.carries)}`,
    ...variesText(endpoint),
    `exactIntegers: ${isExact(endpoint, types)}`,
    `decode: ${decode}`,
  ];
  if (encode !== undefined) parts.push(`encode: ${encode}`);
  return parts;
}

function allowText(policy: PolicyRef | undefined, policies: PolicyNames): string[] {
  const known = policy && policies.get(declarationKey(policy));
  return known ? [`allow: { declaration: ${known.local}, name: ${text(known.policy.variable)} }`] : [];
}

/** The headers by which answers differ. */
function variesText({ request }: Endpoint): readonly string[] {
  const headers = request.bound.flatMap(({ source, wire }) => {
    const { varies } = bindingOf(source);
    return varies === "name" ? wire : (varies ?? []);
  });
  return headers.length === 0 ? [] : [`varies: ${text([...new Set(headers)].join(", "))}`];
}

function isExact({ request }: Decoded, types: TypeTable): boolean {
  return bodySchemas(request).some((schema) => holds(schema, "int64", types));
}

/** What a request is decoded by: its own shape, and the parameters of its path. */
export type Decoded = Pick<Endpoint, "request"> & { readonly route: Pick<Endpoint["route"], "segments"> };

/** A function that decodes a request. */
export function decodeFunction(endpoint: Decoded, name: string, decoders: Decoders, types: TypeTable): string {
  const { bound } = endpoint.request;
  const segments = endpoint.route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  const reads = bound.flatMap((field, i) => readBound(field, segments.indexOf(field.wire), `b${i}`, decoders.limits));
  const required = bound.flatMap((field, i) => (field.optional ? [] : [{ name: field.property, value: `b${i}` }]));
  const optional = bound.flatMap((field, i) =>
    field.optional ? [`  if (b${i} !== undefined) ${property("request", field.property)} = b${i};`] : [],
  );
  const decoder = isExact(endpoint, types) ? decoders.exact : decoders.plain;
  const body = bodyExpression(endpoint, decoder);
  const start =
    body === undefined
      ? [`  const request = ${objectLiteral(required.map(({ name, value }) => `${key(name)}: ${value}`))};`]
      : [
          `  const request = ${body};`,
          ...required.map(({ name, value }) => `  ${property("request", name)} = ${value};`),
        ];
  const lines = [...sharedReads(bound), ...reads].map((line) => `  ${line}`);
  const whole = wholeLines(endpoint, decoder);
  const decode = (named: string): readonly string[] => [
    `function ${named}(raw) {`,
    ...lines,
    ...start,
    ...optional,
    ...whole,
    "  return request;",
    "}",
  ];
  if (!isLimited(endpoint, types)) return decode(name).join("\n");
  const parts = partsOfRequest(endpoint, decoder, decoders.limits);
  return [
    ...decode(`${name}One`),
    `const ${name}Parts = [${parts.join(", ")}];`,
    `function ${name}(raw) {`,
    "  try {",
    `    return ${name}One(raw);`,
    "  } catch (error) {",
    `    throw whole400(error, raw, ${name}Parts);`,
    "  }",
    "}",
  ].join("\n");
}

/** Whether something of a request has limits: only then is it told all that is wrong. */
function isLimited({ request }: Decoded, types: TypeTable): boolean {
  const isBound = request.bound.some(({ type, items }) => items !== undefined || ("limits" in type && type.limits));
  return isBound || bodySchemas(request).some((schema) => hasLimits(schema, types));
}

/** Functions that each read one field of a request. */
function partsOfRequest(endpoint: Decoded, decoder: BodyDecoder, limits: KeptLimits): readonly string[] {
  const { bound, body, whole } = endpoint.request;
  const segments = endpoint.route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  const fields = bound.map((field) => {
    const reads = [...sharedReads([field]), ...readBound(field, segments.indexOf(field.wire), "b", limits)];
    return `(raw) => { ${reads.join(" ")} }`;
  });
  const own = body.map((field) => {
    const one = bodyExpression({ ...endpoint, request: { ...endpoint.request, body: [field] } }, decoder);
    return `(raw) => ${one}`;
  });
  const all = whole?.schema === undefined ? [] : [`(raw) => ${decoder.decoder(whole.schema)}(raw.body, 0) ?? refuse()`];
  return [...fields, ...own, ...all];
}

/** What sets the field that has the whole body. */
function wholeLines({ request: { whole } }: Decoded, decoder: BodyDecoder): readonly string[] {
  if (whole === undefined) return [];
  const target = property("request", whole.property);
  if (whole.schema === undefined) return [`  ${target} = raw.body;`];
  const read = [
    `    const whole = ${decoder.decoder(whole.schema)}(raw.body, 0);`,
    "    if (whole === undefined) refuse();",
    `    ${target} = whole;`,
  ];
  if (whole.optional) return ["  if (raw.body !== undefined) {", ...read, "  }"];
  return [`  required(raw.body, ${text("body")});`, "  {", ...read, "  }"];
}

function bodyExpression({ request }: Decoded, decoder: BodyDecoder): string | undefined {
  if (request.body.length === 0) return undefined;
  const mayBeAbsent = request.body.every((field) => field.optional);
  const body = mayBeAbsent ? "raw.body === undefined ? {} : raw.body" : "raw.body";
  return `${decoder.object(request.body)}(${body}, 0) ?? refuse()`;
}
