import type { Endpoint } from "../model/app.ts";
import type { BoundField } from "../model/request-shape.ts";
import { grouped } from "../lib/grouped.ts";
import { bindings, type Carrying } from "../model/bindings.ts";
import { answerSchemas } from "../model/reply-shape.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { Codecs } from "./codecs.ts";
import { ImportLines, type Specifiers } from "./import-lines.ts";
import { key, member, objectLiteral, text } from "./text.ts";

export interface Remote {
  readonly endpoint: Endpoint;
  readonly service: string;
}

/** The generated module that exports, as `remotes`, the endpoints of other services that code calls. */
export const remotesSpecifier = "fw:remotes";

/** Generates codecs for calls to other services' endpoints. */
export function remoteModule(remotes: readonly Remote[], types: TypeTable, specifiers: Specifiers): string {
  const lines = new ImportLines(specifiers);
  const codecs = new Codecs(types);
  const entries = remotes.map(({ endpoint, service }, i) => {
    const parts = [
      `declaration: ${lines.declaration(endpoint.declaration)}`,
      `kind: ${text(endpoint.kind)}`,
      `service: ${text(service)}`,
      `route: ${text(endpoint.route.pattern)}`,
      `method: ${text(endpoint.route.method)}`,
      ...callMembers(endpoint, i, codecs),
    ];
    return `  { ${parts.join(", ")} },`;
  });
  return codecs.module(["export const remotes = [", ...entries, "];"], lines.lines);
}

/** Generates the codec of a call (`CallCodec` of the runtime). `i` makes names unique in a module. */
export function callMembers(endpoint: Endpoint, i: number, codecs: Codecs): readonly string[] {
  const answers = answerSchemas(endpoint);
  const reader = codecs.trustedDecoder(answers);
  const decoderOf = (schema: Schema | undefined): string | undefined => schema && reader.decoder(schema);
  const answer = decoderOf(jsonOf(endpoint.response));
  const replies = (endpoint.replies ?? []).map(({ status, body }) => ({ status, decode: decoderOf(jsonOf(body)) }));
  const { whole, body: fields } = endpoint.request;
  const body = codecs.encoder(whole?.schema ?? { kind: "object", fields }) ?? "JSON.stringify";
  codecs.functions.push(encodeFunction(`write${i}`, endpoint, body));
  codecs.decode(`read${i}`, answer);
  codecs.functions.push(...repliesFunction(`reply${i}`, replies));
  return [
    `encode: write${i}`,
    `decode: read${i}`,
    ...(replies.length === 0 ? [] : [`decodeReply: reply${i}`]),
    `exactIntegers: ${codecs.isExact(answers)}`,
  ];
}

interface ReplyDecoder {
  readonly status: number | undefined;
  readonly decode: string | undefined;
}

/** Generates a function that decodes a body by its status and refuses undeclared statuses. */
function repliesFunction(name: string, replies: readonly ReplyDecoder[]): readonly string[] {
  if (replies.length === 0) return [];
  const cases = replies.map(
    ({ status, decode }) =>
      `    case ${status}: value = ${decode === undefined ? "undefined" : `${decode}(v, 0)`}; break;`,
  );
  return [
    [
      `function ${name}(v, status) {`,
      "  let value;",
      "  switch (status) {",
      ...cases,
      "  }",
      "  return value === undefined ? refuse() : value;",
      "}",
    ].join("\n"),
  ];
}

function encodeFunction(name: string, { route, request }: Endpoint, body: string): string {
  const { bound, carries } = request;
  const boundTo = (call: Carrying): readonly BoundField[] =>
    bound.filter(({ source }) => bindings[source].call === call);
  const members = [`path: pathText(${segmentsCode(route, boundTo("path"))}, ${pairs(boundTo("query"))})`];
  if (carries === "raw") members.push(`raw: ${member("r", request.whole?.property ?? "")}`);
  if (carries === "json" && request.whole !== undefined) {
    members.push(`json: ${body}(${member("r", request.whole.property)})`);
  } else if (carries === "json") {
    const picked = request.body.map((field) => `${key(field.name)}: ${member("r", field.name)}`);
    members.push(`json: ${body}(${objectLiteral(picked)})`);
  }
  const fieldGroups = [...grouped(boundTo("fields"), ({ source }) => source)];
  if (fieldGroups.length > 0) {
    const sources = fieldGroups.map(([source, fields]) => `${source}: ${pairs(fields)}`);
    members.push(`fields: wireFields(${objectLiteral(sources)})`);
  }
  if (carries === "form" || carries === "multipart") members.push(`form: formFields(${pairs(boundTo("form"))})`);
  return [`function ${name}(r) {`, `  return { ${members.join(", ")} };`, "}"].join("\n");
}

function segmentsCode({ segments }: Endpoint["route"], parameters: readonly BoundField[]): string {
  const properties = new Map(parameters.map((field) => [field.wire, field]));
  const parts = segments.map((segment) =>
    "literal" in segment
      ? text(segment.literal)
      : member("r", properties.get(segment.param)?.property ?? segment.param),
  );
  return `[${parts.join(", ")}]`;
}

/** Formats a list of wire names and values of a request's fields. */
function pairs(fields: readonly BoundField[]): string {
  return `[${fields.map(({ wire, property }) => `[${text(wire)}, ${member("r", property)}]`).join(", ")}]`;
}

/**
 * Returns the JSON variants of a response, without Blobs (sent as streams) and void (sent as a 204). Undefined for a
 * Blob or void.
 */
function jsonOf(response: Schema): Schema | undefined {
  if (response.kind === "blob" || response.kind === "void") return undefined;
  if (response.kind !== "union") return response;
  const variants = response.variants.filter(({ kind }) => kind !== "blob" && kind !== "void");
  return variants.length === response.variants.length ? response : { kind: "union", variants };
}
