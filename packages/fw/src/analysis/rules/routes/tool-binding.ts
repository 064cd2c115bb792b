import { cachedByObject } from "../../../lib/cached-by-object.ts";
import { declarationKey } from "../../../model/declarations.ts";
import type { Schema } from "../../../model/schema.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { EndpointTypes, ParsedEndpoint } from "../../readers/endpoint.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import type { NamedReference } from "../../readers/reference.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed } from "../not-named.ts";
import { isEndpoint } from "../select.ts";

export const toolBinding: Rule = {
  id: "tool-binding",
  title:
    "The tools of an `MCP` server are APIs that take and return JSON, with different names that all clients accept",
  *declaration(read) {
    if (isServer(read)) yield* listMistake(read);
  },
  *app({ packages }) {
    const servers = packages.flatMap(serversIn);
    if (servers.length === 0) return;
    const endpoints = new Map(
      packages
        .flatMap((pkg) => pkg.reads.filter(isEndpoint))
        .map((endpoint) => [declarationKey(endpoint.declaration), endpoint]),
    );
    for (const server of servers) yield* toolMistakes(server, endpoints);
  },
};

const serversIn = cachedByObject(({ reads }: ParsedPackage) => reads.filter(isServer));

const requirement = { noun: "an API", example: 'export const listOrders = API("GET /orders", …)' };

function isServer(read: Parameters<NonNullable<Rule["declaration"]>>[0]): read is ParsedEndpoint {
  return isEndpoint(read) && read.isServer === true;
}

function* listMistake({ declaration, config: { at, settings, complete } }: ParsedEndpoint): Iterable<Finding> {
  const { tools } = settings;
  const hint = "write tools: [listOrders], with the APIs that agents can call";
  if (tools === undefined) {
    if (complete) yield { at, message: `the MCP server "${declaration.variable}" has no tools`, hint };
  } else if (tools.value === undefined) yield { at: tools.at, message: "tools is not a list of APIs", hint };
  else if (tools.value.length === 0)
    yield { at: tools.at, message: `the MCP server "${declaration.variable}" has no tools`, hint };
  for (const { at, value } of tools?.value ?? []) if (value) yield* notNamed(value.reference, at, requirement);
}

function* toolMistakes({ config }: ParsedEndpoint, endpoints: ReadonlyMap<string, ParsedEndpoint>): Iterable<Finding> {
  const firsts = new Map<string, Located<NamedReference>>();
  for (const tool of config.settings.tools?.value ?? []) {
    const reference = tool.value?.reference;
    if (reference?.kind !== "declared") continue;
    const { at } = tool;
    const endpoint = endpoints.get(declarationKey(reference));
    if (endpoint) yield* endpointMistake(endpoint, tool);
    const first = firsts.get(reference.variable);
    if (first === undefined) firsts.set(reference.variable, tool);
    else
      yield {
        at,
        message: `two tools are named "${reference.variable}"`,
        hint: "name each API once, and rename the constant of one if there are two",
        related: [{ at: first.at, message: "the other is here" }],
      };
  }
}

/** Tool names that all clients accept. */
const toolName = /^[\w-]{1,64}$/;

function* endpointMistake({ declaration, config, types }: ParsedEndpoint, { at }: Located<unknown>): Iterable<Finding> {
  const { variable } = declaration;
  const related = [{ at: declaration.at, message: "it is declared here" }];
  if (!toolName.test(variable))
    yield {
      at,
      message: `"${variable}" cannot be the name of a tool`,
      hint: "name the constant with at most 64 letters of the English alphabet, digits and _",
      related,
    };
  if (config.settings.private?.value === true)
    yield {
      at,
      message: `"${variable}" is private, but tools are called by clients`,
      hint: "remove it from the tools, or remove private and protect the API with signIn or allow",
      related,
    };
  const content = types && otherContent(types);
  if (content !== undefined)
    yield {
      at,
      message: `"${variable}" cannot be a tool: ${content}`,
      hint: "name an API that takes and returns JSON",
      related,
    };
}

/** Returns the reason why a tool cannot accept or return the content of an API; undefined if it can. */
function otherContent({ request, response, replies = [] }: EndpointTypes): string | undefined {
  const { carries } = request.shape;
  if (carries === "raw") return "it takes any body";
  if (carries === "multipart") return "it takes files";
  return [response, ...replies.map(({ body }) => body)].some(hasBlob) ? "it returns a Blob" : undefined;
}

/** True if a response is a Blob, or may be one. */
function hasBlob(schema: Schema): boolean {
  return schema.kind === "blob" || (schema.kind === "union" && schema.variants.some(hasBlob));
}
