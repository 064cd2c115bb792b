import { bindingOf } from "../model/bindings.ts";
import { declarationKey } from "../model/declarations.ts";
import type { Endpoint, SocketMessages } from "../model/app.ts";
import { bodySchemas } from "../model/request-shape.ts";
import { answerSchemas } from "../model/reply-shape.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { BodyDecoder } from "./body-decoder.ts";
import { checkBound, readBound, sharedReads } from "./bound-fields.ts";
import { Codecs } from "./codecs.ts";
import { exposedName } from "./expose.ts";
import { importOf, type Specifiers } from "./import-lines.ts";
import { callMembers } from "./remote-module.ts";
import { key, objectLiteral, property, text } from "./text.ts";

/** A module that exports `endpoints(package)`: the bundled endpoints of one module of the application, in order. */
export function endpointModule(endpoints: readonly Endpoint[], types: TypeTable, specifiers: Specifiers): string {
  const codecs = new Codecs(types);
  const policies = policyNames(endpoints);
  codecs.functions.push(...endpoints.map((endpoint, i) => decodeFunction(endpoint, `decode${i}`, codecs)));
  const calls = specifiers.calls ? endpoints.map((endpoint, i) => callMembers(endpoint, i, codecs)) : [];
  const sockets = endpoints.map(
    ({ messages }, i) => messages && socketMembers(messages, i, codecs, specifiers.calls === true),
  );
  const entries = endpoints.map((endpoint, i) => {
    const members = entry(endpoint, `decode${i}`, policies, codecs);
    const [socket, call] = [sockets[i], calls[i]];
    if (socket !== undefined) members.push(`socket: ${socket}`);
    if (call !== undefined) members.push(`call: { ${call.join(", ")} }`);
    return `  { ${members.join(", ")} },`;
  });
  const imports = [importOf(endpoints, specifiers), ...policyImports(policies, specifiers)];
  return codecs.module(["export const endpoints = (p) => [", ...entries, "];"], imports);
}

/** How the messages of a socket are read and written (`SocketCodec` of the runtime), with `visitor` at its visitor's end, too. */
function socketMembers({ received, sent }: SocketMessages, i: number, codecs: Codecs, visitor: boolean): string {
  const own = messageMembers(`message${i}`, [codecs.decoder([received]), received], sent, codecs);
  const other = visitor ? messageMembers(`heard${i}`, [codecs.ownDecoder([sent]), sent], received, codecs) : [];
  return objectLiteral([...own, ...(visitor ? [`visitor: ${objectLiteral(other)}`] : [])]);
}

/** `name` is that of the function which decodes what comes. */
function messageMembers(
  name: string,
  [reader, comes]: readonly [BodyDecoder, Schema],
  goes: Schema,
  codecs: Codecs,
): readonly string[] {
  codecs.decode(name, reader.decoder(comes));
  const encode = codecs.encoder(goes);
  return [
    `decode: ${name}`,
    `exactIntegers: ${codecs.isExact([comes])}`,
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
}

/** What encodes a response; what replies hold is told apart by no tag, so that whatever holds an Int64 is written as it comes. */
function encoderName(endpoint: Endpoint, codecs: Codecs): string | undefined {
  const { response, replies } = endpoint;
  if (replies === undefined) return response.kind === "blob" ? undefined : codecs.encoder(response);
  return codecs.isExact(answerSchemas(endpoint)) ? "exactText" : undefined;
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

function policyImports(policies: PolicyNames, { module }: Specifiers): readonly string[] {
  return Array.from(policies.values(), ({ policy, local }) => {
    return `import { ${exposedName(policy.variable)} as ${local} } from ${text(module(policy.module))};`;
  });
}

function entry(endpoint: Endpoint, decode: string, policies: PolicyNames, codecs: Codecs): string[] {
  const { settings, request, route } = endpoint;
  const encode = encoderName(endpoint, codecs);
  return [
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
    `exactIntegers: ${codecs.isExact(bodySchemas(request))}`,
    `decode: ${decode}`,
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
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

/** What a request is decoded by: its own shape, and the parameters of its path. */
export type Decoded = Pick<Endpoint, "request"> & { readonly route: Pick<Endpoint["route"], "segments"> };

/** A function that decodes a request. */
export function decodeFunction(endpoint: Decoded, name: string, codecs: Codecs): string {
  const { bound } = endpoint.request;
  const segments = endpoint.route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  const reads = bound.flatMap((field, i) => readBound(field, segments.indexOf(field.wire), `b${i}`, codecs.limits));
  const required = bound.flatMap((field, i) => (field.optional ? [] : [{ name: field.property, value: `b${i}` }]));
  const optional = bound.flatMap((field, i) =>
    field.optional ? [`  if (b${i} !== undefined) ${property("request", field.property)} = b${i};`] : [],
  );
  const decoder = codecs.decoder(bodySchemas(endpoint.request));
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
  const parts = partChecks(endpoint, codecs);
  if (parts.length === 0) return decode(name).join("\n");
  return [
    ...decode(`${name}One`),
    `function ${name}(raw) {`,
    "  try {",
    `    return ${name}One(raw);`,
    "  } catch (error) {",
    `    throw whole400(error, raw, [${parts.join(", ")}]${isLimited(endpoint, codecs) ? "" : ", 2"});`,
    "  }",
    "}",
  ].join("\n");
}

/** True if something of a request has constraints: then its 400 lists a single problem, too. */
function isLimited({ request }: Decoded, codecs: Codecs): boolean {
  const isBound = request.bound.some(({ type, items }) => items !== undefined || ("limits" in type && type.limits));
  return isBound || codecs.hasLimits(bodySchemas(request));
}

/** Functions that each look for the problems of one bound field, or of the body. */
function partChecks({ request, route }: Decoded, codecs: Codecs): readonly string[] {
  const { bound, body, whole } = request;
  const segments = route.segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
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
  return `${decoder.object(request.body)}(${bodyValue(request)}, 0) ?? refuse()`;
}

function bodyValue({ body }: Endpoint["request"]): string {
  return body.every((field) => field.optional) ? "raw.body === undefined ? {} : raw.body" : "raw.body";
}
