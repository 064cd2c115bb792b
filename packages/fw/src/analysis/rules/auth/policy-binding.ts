import { bindings } from "../../../model/bindings.ts";
import type { BoundField } from "../../../model/request-shape.ts";
import type { EndpointTypes, ParsedEndpoint } from "../../readers/endpoint.ts";
import type { ParsedPolicy } from "../../readers/policy.ts";
import type { Finding, Rule } from "../../rule.ts";
import { firstNames } from "../binding/no-body.ts";
import { endpointsOf, ofKind } from "../select.ts";

export const policyBinding: Rule = {
  id: "policy-binding",
  title: "Every route binds the fields that its policy reads, in the same way",
  *declaration(read) {
    if ((read.kind !== "policy" && read.kind !== "tenant") || read.types === undefined) return;
    const { untagged, shape } = read.types.request;
    const [first] = untagged;
    if (first) {
      const message = `${firstNames(untagged)} would be read from a body, but a policy decides by bound fields`;
      yield { at: first.at, message, hint };
    }
    for (const { property, source, at } of shape.bound.filter(({ source }) => source === "form")) {
      yield {
        at,
        message: `"${property}" is read from ${bindings[source].carrier}, but a policy decides by the route`,
        hint,
      };
    }
  },
  *app({ packages }) {
    const policies = new Map(
      packages.flatMap((pkg) => ofKind(pkg, "policy")).map((policy) => [keyOf(policy.declaration), policy]),
    );
    if (policies.size === 0) return;
    const tenants = new Map(
      packages.flatMap((pkg) => ofKind(pkg, "tenant")).map((tenant) => [keyOf(tenant.declaration), tenant]),
    );
    for (const endpoint of packages.flatMap(endpointsOf)) {
      const allow = endpoint.config.settings.allow?.value;
      const policy = allow?.kind === "declared" ? policies.get(keyOf(allow)) : undefined;
      const tenant = policy?.member?.tenant.value?.reference;
      const { types } = (tenant?.kind === "declared" ? tenants.get(keyOf(tenant)) : policy) ?? {};
      if (policy && types) yield* unboundFields(endpoint, policy, types);
    }
  },
};

const hint = "write Path, Query, Header or Cookie";

function keyOf({ module, variable }: { readonly module: string; readonly variable: string }): string {
  return `${module}\0${variable}`;
}

/** Finds fields of a policy that an endpoint's request lacks or binds differently. */
function* unboundFields(endpoint: ParsedEndpoint, policy: ParsedPolicy, read: EndpointTypes): Iterable<Finding> {
  const { types, config } = endpoint;
  const { allow } = config.settings;
  if (types === undefined || allow === undefined) return;
  for (const field of read.request.shape.bound) {
    const own = types.request.shape.bound.find(({ property }) => property === field.property);
    if (own !== undefined && bindingOf(own) === bindingOf(field)) continue;
    const carrier = `${field.source} ${field.wire}`;
    yield {
      at: allow.at,
      message: `the policy "${policy.declaration.variable}" reads "${field.property}" (${carrier}), which this route does not bind in the same way`,
      hint: `bind "${field.property}" in the route's request as the policy does`,
      related: [{ at: field.at, message: "the policy reads it here" }],
    };
  }
}

/** Serializes the properties that must be equal in endpoint and policy, so that the policy gets its declared type. */
function bindingOf({ source, wire, type, list, optional }: BoundField): string {
  return JSON.stringify([source, wire, type, list, optional]);
}
