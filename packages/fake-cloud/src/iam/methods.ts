import { query, type Call, type Method } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { methodsOf, type ResourceKind } from "../methods.ts";
import type { Policy } from "./policies.ts";

/** The methods by which the policy of a resource is read and replaced. Where it is bare, it is the whole body, as Cloud Storage has it. */
export function policyMethods(cloud: Cloud, kind: ResourceKind, bare = false): Readonly<Record<string, Method>> {
  return methodsOf(kind, {
    getIamPolicy: (call) => asVersion(cloud.policies.get(kind.on(call)), versionAsked(call)),
    setIamPolicy: (call) => {
      const policy = bare ? (call.body as Policy) : ((call.body as { policy?: Policy }).policy ?? {});
      requireAgents(cloud, policy);
      return cloud.policies.set(kind.on(call), policy);
    },
  });
}

/** Accounts of the cloud itself are there once somebody has asked for them. */
function requireAgents({ agents }: Cloud, { bindings = [] }: Policy): void {
  for (const member of bindings.flatMap(({ members }) => members)) {
    const agent = /^serviceAccount:(service-\d+@(?:gcp-sa-pubsub|gs-project-accounts)\..*)$/.exec(member)?.[1];
    if (agent !== undefined && !agents.has(agent)) throw invalid(`Service account ${agent} does not exist.`);
  }
}

function versionAsked(call: Call): number {
  const { options } = call.body as { options?: { requestedPolicyVersion?: number } };
  return Number(
    query(call, "options.requestedPolicyVersion") ??
      query(call, "optionsRequestedPolicyVersion") ??
      options?.requestedPolicyVersion ??
      1,
  );
}

/** Who does not ask for version 3 does not see conditions. */
function asVersion(policy: Policy, version: number): Policy {
  if (version >= 3) return policy;
  const bindings = (policy.bindings ?? []).map(({ condition, ...binding }) =>
    condition ? { ...binding, role: `${binding.role}_withcond_${condition.title ?? ""}` } : binding,
  );
  return { ...policy, ...(policy.bindings && { bindings }) };
}
