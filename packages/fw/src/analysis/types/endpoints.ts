import type { Schema } from "../../model/schema.ts";
import { CheckerFailure, type Checker } from "../checker/checker.ts";
import type { Declared } from "../declared.ts";
import type { ParsedAuthenticator } from "../readers/authenticator.ts";
import type { ParsedEndpoint } from "../readers/endpoint.ts";
import { isDestination, isEndpoint } from "../rules/select.ts";
import { markLength, questionKey } from "../schema/reading.ts";
import { createResolver, type Resolved, type Resolver } from "../schema/schema.ts";
import { type EndpointSite, messagesOf, type RequestFacts, requestOf, responseOf } from "../shape/shape.ts";
import type { Project } from "../source/project.ts";
import { entityQuery } from "./entities.ts";
import { destinationQuery } from "./messages.ts";
import { TypeQuery } from "./type-query.ts";
import { resolveUntilStable } from "./resolve-until-stable.ts";

/** Adds the types of requests and responses to the endpoints among some declarations, of fields to the entities, and of messages. Never rejects. */
export async function withTypes(
  project: Project,
  checker: Checker,
  declared: readonly Declared[],
): Promise<readonly Declared[]> {
  const resolver = createResolver(project);
  const pending = declared.map((each) => {
    if (each.read?.kind === "entity") return entityQuery(resolver, each, each.read);
    if (each.read && isDestination(each.read)) return destinationQuery(resolver, each, each.read);
    if (each.read?.kind === "authenticator") return authenticatorQuery(resolver, each, each.read);
    if (each.read?.kind === "socket") return socketQuery(resolver, each, each.read);
    return each.read && isEndpoint(each.read) ? endpointQuery(resolver, each, each.read) : undefined;
  });
  const failure = await settle(
    resolver,
    checker,
    pending.flatMap((each) => each?.readings ?? []),
  );
  return declared.map((each, index) => pending[index]?.settled(failure) ?? each);
}

/** Settles all readings, or answers what kept the checker from doing so. */
async function settle(
  resolver: Resolver,
  checker: Checker,
  readings: readonly (() => Resolved<unknown>)[],
): Promise<Error | undefined> {
  try {
    await resolveUntilStable(resolver, checker, readings);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new CheckerFailure(String(error));
  }
}

/** An endpoint whose request and response are being read. */
function endpointQuery(
  resolver: Resolver,
  declared: Declared,
  read: ParsedEndpoint,
): TypeQuery<[RequestFacts, Schema]> {
  const site = siteOf(declared, read);
  return new TypeQuery(declared, {
    reads: [() => requestOf(resolver, site), () => responseOf(resolver, site)],
    filled: ([request, response]) => ({
      read: {
        ...read,
        types: {
          request: request.value,
          requestRefusals: request.refusals,
          response: response.value,
          ...(response.replies && { replies: response.replies }),
          responseRefusals: response.refusals,
        },
      },
      types: { ...request.types, ...response.types },
    }),
    answered: () => {
      const printed = printedOf(resolver, site);
      return printed === undefined ? {} : { printed };
    },
  });
}

/** A socket whose request and messages are being read. */
function socketQuery(
  resolver: Resolver,
  declared: Declared,
  read: ParsedEndpoint,
): TypeQuery<[RequestFacts, Schema, Schema]> {
  const site = siteOf(declared, read);
  return new TypeQuery(declared, {
    reads: [
      () => requestOf(resolver, site),
      () => messagesOf(resolver, site, "received"),
      () => messagesOf(resolver, site, "sent"),
    ],
    filled: ([request, received, sent]) => ({
      read: {
        ...read,
        types: {
          request: request.value,
          requestRefusals: request.refusals,
          response: { kind: "void" },
          messages: { received: received.value, sent: sent.value },
          responseRefusals: [...received.refusals, ...sent.refusals],
        },
      },
      types: { ...request.types, ...received.types, ...sent.types },
    }),
    answered: () => {
      const printed = printedOf(resolver, site);
      return printed === undefined ? {} : { printed };
    },
  });
}

/** An authenticator whose credentials are being read. */
function authenticatorQuery(
  resolver: Resolver,
  declared: Declared,
  read: ParsedAuthenticator,
): TypeQuery<[RequestFacts]> {
  const site = siteOf(declared, { ...read, route: undefined });
  return new TypeQuery(declared, {
    reads: [() => requestOf(resolver, site)],
    filled: ([{ value, refusals, types }]) => ({
      read: {
        ...read,
        types: { request: value, requestRefusals: refusals, response: { kind: "void" }, responseRefusals: [] },
      },
      types,
    }),
  });
}

/** The endpoint's type as the checker prints it, where it was asked for. */
function printedOf({ texts }: Resolver, { module, name }: EndpointSite): string | undefined {
  return texts.get(questionKey({ path: module.path, start: name.start - markLength(module) }))?.text;
}

function siteOf(
  { call: { module, call } }: Declared,
  { kind, declaration, route }: Pick<ParsedEndpoint, "declaration" | "route"> & { readonly kind: EndpointSite["kind"] },
): EndpointSite {
  const binding = module.bindings.get(declaration.variable);
  const name = binding?.kind === "variable" ? binding.node.id : call;
  const params = (route?.segments ?? []).flatMap((segment) => ("param" in segment ? [segment.param] : []));
  return { kind, module, call, name, params };
}
