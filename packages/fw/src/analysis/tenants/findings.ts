import type { Span } from "../../model/diagnostic.ts";
import { kinds } from "../../model/kinds.ts";
import type { Finding } from "../rule.ts";
import type { ContextState, SeparatedData } from "./data.ts";

const inHandler = "give the route a policy of RequireMember";

/** Reports a use of tenant data outside its tenant; `tenant` is the variable of the Tenant. */
export function outsideOfTenant(
  at: Span,
  what: string,
  data: SeparatedData,
  { state, tenant }: { readonly state: ContextState; readonly tenant: string },
): Finding {
  const { variable, kind, tenants = "" } = data;
  const place = state.inside === undefined ? "outside a tenant" : `inside a tenant of "${state.inside}"`;
  return {
    at,
    message: `${what} runs ${place} in ${state.origin}, but each tenant of "${tenants}" has its own ${kinds[kind].perTenant}`,
    hint: state.isOperator
      ? `choose the tenant, such as ${tenant}.as(ctx, id), and pass the context that it returns`
      : `${inHandler}, or enter a tenant of the user: await ${tenant}.enter(ctx, id)`,
    related: [{ at: data.at, message: `${variable} belongs to tenants here` }],
  };
}

/** Reports a use of tenant data with a context that fw cannot follow. */
export function unfollowed(at: Span, text: string, data: SeparatedData): Finding {
  const { variable } = data;
  return {
    at,
    message: `fw cannot see which tenant ${text} is for`,
    hint: `call a method of ${variable} with the ctx of the handler, of a transaction, or of as() or enter(), or with a parameter that only gets such contexts`,
    related: [{ at: data.at, message: `${variable} belongs to tenants here` }],
  };
}

/** Reports a reference through which a function that uses tenant data may receive an unknown context. */
export function unfollowedFunction(at: Span, text: string): Finding {
  return {
    at,
    message: `fw cannot see which context ${text} gets here, and it uses tenant data`,
    hint: "call it by its name, with a context that fw can follow: the ctx of a handler or a transaction, or what as() or enter() returns",
  };
}

export function asInsideRequest(at: Span, tenant: string, { inside, origin }: ContextState): Finding {
  return {
    at,
    message: `${tenant}.as() checks no membership, and ${origin} runs it for ${inside === undefined ? "any client" : "a member of one tenant"}`,
    hint: `write await ${tenant}.enter(ctx, id), which only members pass, or give the route to operators: { allow: RequireRole(…) }`,
  };
}

export function tenantReadOutside(at: Span, { origin }: ContextState): Finding {
  return { at, message: `ctx.tenant() is read outside a tenant in ${origin}`, hint: inHandler };
}

/** Reports data without a `tenant` setting; `tenant` is the variable of a Tenant that the hint suggests. */
export function unmarked({ kind, variable, at }: SeparatedData, tenant: string): Finding {
  const { perTenant } = kinds[kind];
  return {
    at,
    message: `the application has tenants, but ${variable} does not say which tenants its ${perTenant} belong to`,
    hint: `add { tenant: ${tenant} } to separate its ${perTenant} by tenant, or { tenant: "shared" } to share them`,
  };
}
