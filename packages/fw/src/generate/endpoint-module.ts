import { bindingOf } from "../model/bindings.ts";
import { declarationKey } from "../model/declarations.ts";
import type { DeclarationKey, Endpoint, SocketMessages } from "../model/app.ts";
import { bodySchemas } from "../model/request-shape.ts";
import { answerSchemas } from "../model/reply-shape.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { BodyDecoder } from "./body-decoder.ts";
import { checkBound, readBound, sharedReads } from "./bound-fields.ts";
import { Codecs } from "./codecs.ts";
import type { Specifiers } from "./import-lines.ts";
import { callMembers } from "./remote-module.ts";
import { key, objectLiteral, property, text } from "./text.ts";

/**
 * Generates the module that exports `endpoints(package, declarations)`: the endpoints of one application module, in
 * order. The wiring passes `declarationsOf(endpoints)`, so that the module imports no application code and stays loaded
 * when `fw dev` evaluates the application again.
 */
export function endpointModule(
  endpoints: readonly Endpoint[],
  types: TypeTable,
  { calls: isCalled = false }: Pick<Specifiers, "calls">,
): string {
  const codecs = new Codecs(types);
  const declarations = new Map(declarationsOf(endpoints).map((each, i) => [declarationKey(each), `d[${i}]`]));
  codecs.functions.push(...endpoints.map((endpoint, i) => decodeFunction(endpoint, `decode${i}`, codecs)));
  codecs.functions.push(...endpoints.flatMap((endpoint, i) => gateFunction(endpoint, `gate${i}`, codecs)));
  const calls = isCalled ? endpoints.map((endpoint, i) => callMembers(endpoint, i, codecs)) : [];
  const sockets = endpoints.map(({ messages }, i) => messages && socketMembers(messages, i, codecs, isCalled));
  const entries = endpoints.map((endpoint, i) => {
    const members = entry(endpoint, `decode${i}`, declarations, codecs);
    if (hasGateFunction(endpoint)) members.push(`decodeForPolicy: gate${i}`);
    const [socket, call] = [sockets[i], calls[i]];
    if (socket !== undefined) members.push(`socket: ${socket}`);
    if (call !== undefined) members.push(`call: { ${call.join(", ")} }`);
    return `  { ${members.join(", ")} },`;
  });
  return codecs.module(["export const endpoints = (p, d) => [", ...entries, "];"], []);
}

/** Returns the declarations of a module's endpoints, followed by their policies. */
export function declarationsOf(endpoints: readonly Endpoint[]): readonly DeclarationKey[] {
  const policies = new Map(
    endpoints.flatMap(({ settings: { allow } }) => (allow ? [[declarationKey(allow), allow] as const] : [])),
  );
  return [...endpoints.map(({ declaration }) => declaration), ...policies.values()];
}

/** Generates a socket's codec (`SocketCodec` of the runtime); with `isClient`, also the codec of its clients. */
function socketMembers({ received, sent }: SocketMessages, i: number, codecs: Codecs, isClient: boolean): string {
  const own = messageMembers(`message${i}`, [codecs.decoder([received]), received], sent, codecs);
  const other = isClient ? messageMembers(`heard${i}`, [codecs.trustedDecoder([sent]), sent], received, codecs) : [];
  return objectLiteral([...own, ...(isClient ? [`visitor: ${objectLiteral(other)}`] : [])]);
}

/** Generates the members that decode incoming messages (with a function called `name`) and encode outgoing ones. */
function messageMembers(
  name: string,
  [reader, incoming]: readonly [BodyDecoder, Schema],
  outgoing: Schema,
  codecs: Codecs,
): readonly string[] {
  codecs.decode(name, reader.decoder(incoming));
  const encode = codecs.encoder(outgoing);
  return [
    `decode: ${name}`,
    `exactIntegers: ${codecs.isExact([incoming])}`,
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
}

/**
 * Chooses the encoder for responses; undefined for files, and if `JSON.stringify` is enough. `exactText` encodes
 * replies with an Int64, because they have no tag.
 */
function encoderName(endpoint: Endpoint, codecs: Codecs): string | undefined {
  const { response, replies } = endpoint;
  if (replies === undefined) return response.kind === "blob" ? undefined : codecs.encoder(response);
  return codecs.isExact(answerSchemas(endpoint)) ? "exactText" : undefined;
}

/** The expressions for declarations in a module, by `declarationKey`. */
type DeclarationTexts = ReadonlyMap<string, string>;

function entry(endpoint: Endpoint, decode: string, declarations: DeclarationTexts, codecs: Codecs): string[] {
  const { settings, request, route } = endpoint;
  const encode = encoderName(endpoint, codecs);
  return [
    `declaration: ${declarations.get(declarationKey(endpoint.declaration))}`,
    `kind: ${text(endpoint.kind)}`,
    `route: ${text(route.pattern)}`,
    `method: ${text(route.method)}`,
    `package: p`,
    `signIn: ${settings.signIn || settings.allow !== undefined}`,
    ...allowText(settings.allow, declarations),
    `private: ${settings.private}`,
    `maxAge: ${settings.maxAge ?? 0}`,
    ...(settings.status === undefined ? [] : [`status: ${settings.status}`]),
    ...(settings.maxBody === undefined ? [] : [`maxBody: ${settings.maxBody}`]),
    `carries: ${text(request.carries)}`,
    ...variesText(endpoint),
    `exactIntegers: ${codecs.isExact(bodySchemas(request))}`,
    `decode: ${decode}`,
    ...(settings.once ? ["once: true"] : []),
    ...(settings.live ? ["live: true"] : []),
    ...(settings.invalid ? [`fields: ${JSON.stringify(fieldRows(endpoint))}`] : []),
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
}

/** Generates rows for the fields that a page can show again (`BundledField` of the runtime). */
function fieldRows({ request, route }: Endpoint): readonly (readonly [string, string, string | number, boolean])[] {
  const segments = segmentsOf(route);
  const shown = request.bound.filter(({ source }) => source === "path" || source === "form" || source === "query");
  return shown.map(({ property, source, wire, list }) => {
    return [property, source, source === "path" ? segments.indexOf(wire) : wire, list];
  });
}

function segmentsOf({ segments }: DecodedRequest["route"]): readonly string[] {
  return segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
}

function allowText(policy: Endpoint["settings"]["allow"], declarations: DeclarationTexts): string[] {
  if (policy === undefined) return [];
  return [`allow: { declaration: ${declarations.get(declarationKey(policy))}, name: ${text(policy.variable)} }`];
}

function variesText({ request }: Endpoint): readonly string[] {
  const headers = request.bound.flatMap(({ source, wire }) => {
    const { varies } = bindingOf(source);
    return varies === "name" ? wire : (varies ?? []);
  });
  return headers.length === 0 ? [] : [`varies: ${text([...new Set(headers)].join(", "))}`];
}

/** The part of an endpoint that its request decoder is generated from. */
export type DecodedRequest = Pick<Endpoint, "request"> & {
  readonly route: Pick<Endpoint["route"], "segments">;
  readonly settings?: Pick<Endpoint["settings"], "invalid">;
};

export function decodeFunction(endpoint: DecodedRequest, name: string, codecs: Codecs): string {
  const lines = decodeLines(endpoint, codecs).map((line) => `  ${line}`);
  const decode = (functionName: string): readonly string[] => [`function ${functionName}(raw) {`, ...lines, "}"];
  const parts = partChecks(endpoint, codecs);
  if (parts.length === 0) return decode(name).join("\n");
  return [
    ...decode(`${name}One`),
    `function ${name}(raw) {`,
    "  try {",
    `    return ${name}One(raw);`,
    "  } catch (error) {",
    `    throw whole400(error, raw, [${parts.join(", ")}]${listsOne(endpoint, codecs) ? "" : ", 2"});`,
    "  }",
    "}",
  ].join("\n");
}

/** True for a page that shows refused forms again, but only to users whom a policy admits. */
function hasGateFunction({ settings }: Endpoint): boolean {
  return settings.invalid === true && settings.allow !== undefined;
}

/** Generates a function that decodes the part of a refused form's request that a policy can read. */
function gateFunction(endpoint: Endpoint, name: string, codecs: Codecs): readonly string[] {
  if (!hasGateFunction(endpoint)) return [];
  const bound = endpoint.request.bound.filter(({ source }) => source !== "form");
  const lines = decodeLines({ route: endpoint.route, request: { ...endpoint.request, bound } }, codecs);
  return [[`function ${name}(raw) {`, ...lines.map((line) => `  ${line}`), "}"].join("\n")];
}

function decodeLines(endpoint: DecodedRequest, codecs: Codecs): readonly string[] {
  const { bound } = endpoint.request;
  const segments = segmentsOf(endpoint.route);
  const reads = bound.flatMap((field, i) => readBound(field, segments.indexOf(field.wire), `b${i}`, codecs.limits));
  const required = bound.flatMap((field, i) => (field.optional ? [] : [{ name: field.property, value: `b${i}` }]));
  const optional = bound.flatMap((field, i) =>
    field.optional ? [`if (b${i} !== undefined) ${property("request", field.property)} = b${i};`] : [],
  );
  const decoder = codecs.decoder(bodySchemas(endpoint.request));
  const body = bodyExpression(endpoint, decoder);
  return [
    ...sharedReads(bound),
    ...reads,
    ...(body === undefined
      ? [`const request = ${objectLiteral(required.map(({ name, value }) => `${key(name)}: ${value}`))};`]
      : [`const request = ${body};`, ...required.map(({ name, value }) => `${property("request", name)} = ${value};`)]),
    ...optional,
    ...wholeLines(endpoint, decoder),
    "return request;",
  ];
}

/** True if problems are listed even if there is only one: the request has constraints, or a page shows its problems. */
function listsOne({ request, settings }: DecodedRequest, codecs: Codecs): boolean {
  if (settings?.invalid) return true;
  const isBound = request.bound.some(({ type, items }) => items !== undefined || ("limits" in type && type.limits));
  return isBound || codecs.hasLimits(bodySchemas(request));
}

/** Generates functions that list problems: one for each bound field that can have any, and one for the body. */
function partChecks({ request, route }: DecodedRequest, codecs: Codecs): readonly string[] {
  const { bound, body, whole } = request;
  const segments = segmentsOf(route);
  const fields = bound.flatMap((field) => {
    const check = checkBound(field, segments.indexOf(field.wire), codecs.limits);
    return check.length === 0 ? [] : [`(raw, p) => { ${check.join(" ")} }`];
  });
  const checks = codecs.problems(bodySchemas(request));
  if (body.length > 0) {
    const check = checks.check({ kind: "object", fields: body });
    fields.push(`(raw, p) => p.body(${bodyValue(request)}, ${check})`);
  }
  if (whole?.schema !== undefined) {
    const check = `p.body(raw.body, ${checks.check(whole.schema)})`;
    fields.push(`(raw, p) => ${whole.optional ? `raw.body === undefined || ${check}` : check}`);
  }
  return fields;
}

/** Generates the statements that assign the whole body to its field. */
function wholeLines({ request: { whole } }: DecodedRequest, decoder: BodyDecoder): readonly string[] {
  if (whole === undefined) return [];
  const target = property("request", whole.property);
  if (whole.schema === undefined) return [`${target} = raw.body;`];
  const read = [
    `  const whole = ${decoder.decoder(whole.schema)}(raw.body, 0);`,
    "  if (whole === undefined) refuse();",
    `  ${target} = whole;`,
  ];
  if (whole.optional) return ["if (raw.body !== undefined) {", ...read, "}"];
  return [`required(raw.body, ${text("body")});`, "{", ...read, "}"];
}

function bodyExpression({ request }: DecodedRequest, decoder: BodyDecoder): string | undefined {
  if (request.body.length === 0) return undefined;
  return `${decoder.object(request.body)}(${bodyValue(request)}, 0) ?? refuse()`;
}

function bodyValue({ body }: Endpoint["request"]): string {
  return body.every((field) => field.optional) ? "raw.body === undefined ? {} : raw.body" : "raw.body";
}
