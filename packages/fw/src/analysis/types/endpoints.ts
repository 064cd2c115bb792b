import type { Schema, TypeTable } from "../../model/schema.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { Checker } from "../checker/checker.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedAuthenticator } from "../readers/authenticator.ts";
import type { EndpointTypes, ParsedEndpoint } from "../readers/endpoint.ts";
import type { Parsed } from "../readers/parsed.ts";
import type { ParsedPolicy } from "../readers/policy.ts";
import type { ParsedTenant } from "../readers/tenant.ts";
import { hasDecision, isDestination, isEndpoint } from "../rules/select.ts";
import { markLength, questionKey } from "../schema/type-reading.ts";
import { createResolver, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import type { EndpointSite } from "../shape/endpoint-site.ts";
import { type RequestFacts, requestOf } from "../shape/request.ts";
import { messagesOf, responseOf } from "../shape/response.ts";
import type { Project } from "../source/project.ts";
import { entityQuery } from "./entities.ts";
import { errorShapeQuery } from "./error-shapes.ts";
import { mailQuery } from "./mails.ts";
import { destinationQuery } from "./messages.ts";
import { TypeQuery } from "./type-query.ts";
import { resolveUntilStable } from "./resolve-until-stable.ts";

/** Adds the types of requests, responses, entity fields and messages to declarations. Never rejects. */
export async function withTypes(
  project: Project,
  checker: Checker,
  declared: readonly DeclaredCall[],
): Promise<readonly DeclaredCall[]> {
  const resolver = createResolver(project);
  const pending = declared.map((each) => {
    const { read } = each;
    if (read?.kind === "entity") return entityQuery(resolver, each, read);
    if (read?.kind === "errors") return errorShapeQuery(resolver, each, read);
    if (read && (isDestination(read) || read.kind === "feed")) return destinationQuery(resolver, each, read);
    if (read?.kind === "mail") return mailQuery(resolver, each, read);
    return read && readsRequests(read) ? requestQuery(resolver, each, read) : undefined;
  });
  const failure = await settle(
    resolver,
    checker,
    pending.flatMap((each) => each?.readings ?? []),
  );
  return declared.map((each, index) => pending[index]?.settled(failure) ?? each);
}

type RequestReader = ParsedEndpoint | ParsedAuthenticator | ParsedPolicy | ParsedTenant;

/** True for declarations whose code receives a request. A RequireRole and a RequireMember have no code. */
function readsRequests(read: Parsed): read is RequestReader {
  return isEndpoint(read) || read.kind === "authenticator" || read.kind === "tenant" || hasDecision(read);
}

/** Settles all readings; returns the error if the checker fails. */
async function settle(
  resolver: TypeResolver,
  checker: Checker,
  readings: readonly (() => ResolvedType<unknown>)[],
): Promise<Error | undefined> {
  try {
    await resolveUntilStable(resolver, checker, readings);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new CheckerFailure(String(error));
  }
}

/** Reads the request and response types of an endpoint or authenticator. */
function requestQuery(
  resolver: TypeResolver,
  declared: DeclaredCall,
  read: RequestReader,
): TypeQuery<[RequestFacts, ...Schema[]]> {
  const site = siteOf(declared, read);
  return new TypeQuery(declared, {
    reads: [() => requestOf(resolver, site), ...answersOf(resolver, site)],
    filled: ([request, ...answers]) => ({
      read: {
        ...read,
        types: {
          request: request.value,
          requestRefusals: request.refusals,
          ...answerTypes(answers),
          responseRefusals: answers.flatMap(({ refusals }) => refusals),
        },
      },
      types: Object.assign({}, request.types, ...answers.map(({ types }) => types)) as TypeTable,
    }),
    answered: () => {
      const printed = printedOf(resolver, site);
      return printed === undefined ? {} : { printed };
    },
  });
}

/** Lists the readers of response types: an endpoint's response, or a socket's messages. Other code has none. */
function answersOf(resolver: TypeResolver, site: EndpointSite): readonly (() => ResolvedType<Schema>)[] {
  if (site.kind === "authenticator" || site.kind === "policy" || site.kind === "tenant") return [];
  if (site.kind !== "socket") return [() => responseOf(resolver, site)];
  return [() => messagesOf(resolver, site, "received"), () => messagesOf(resolver, site, "sent")];
}

function answerTypes([response, sent]: readonly ResolvedType<Schema>[]): Pick<
  EndpointTypes,
  "response" | "replies" | "messages"
> {
  if (response === undefined) return { response: { kind: "void" } };
  if (sent) return { response: { kind: "void" }, messages: { received: response.value, sent: sent.value } };
  const { value, replies } = response;
  return { response: value, ...(replies && { replies }) };
}

/** Returns the endpoint's type as the checker printed it; undefined if the checker was not asked. */
function printedOf({ texts }: TypeResolver, { module, name }: EndpointSite): string | undefined {
  return texts.get(questionKey({ path: module.path, start: name.start - markLength(module) }))?.text;
}

function siteOf({ call: { module, call } }: DeclaredCall, read: RequestReader): EndpointSite {
  const binding = module.bindings.get(read.declaration.variable);
  const name = binding?.kind === "variable" ? binding.node.id : call;
  const segments = "route" in read ? (read.route?.segments ?? []) : [];
  const params = segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  return { kind: read.kind, module, call, name, params };
}
