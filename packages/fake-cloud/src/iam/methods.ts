import { query, type Call, type Method } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { methodsOf, type ResourceKind } from "../methods.ts";
import type { Policy } from "./policies.ts";

/** Returns a resource's policy methods. If `bare`, the policy is the whole body, as in Cloud Storage. */
export function policyMethods(cloud: Cloud, kind: ResourceKind, bare = false): Readonly<Record<string, Method>> {
  return methodsOf(kind, {
    getIamPolicy: (call) => asVersion(cloud.policies.get(kind.on(call)), versionAsked(call)),
    setIamPolicy: (call) => {
      const policy = bare ? (call.body as Policy) : ((call.body as { policy?: Policy }).policy ?? {});
      requireAccounts(cloud, policy, cloud.policies.get(kind.on(call)));
      return cloud.policies.set(kind.on(call), policy);
    },
  });
}

/**
 * Rejects a policy that names a service agent before its creation, or an account of the project too soon after its
 * creation (cloud.google.com/iam/docs/service-accounts-create: creation "is eventually consistent").
 */
function requireAccounts({ agents, newAccounts }: Cloud, { bindings = [] }: Policy, before: Policy): void {
  const earlier = new Set((before.bindings ?? []).flatMap(({ members }) => members));
  for (const member of bindings.flatMap(({ members }) => members)) {
    const [, email = ""] = /^serviceAccount:(.+)$/.exec(member) ?? [];
    const isAgent = /^service-\d+@(?:gcp-sa-pubsub|gs-project-accounts)\./.test(email);
    const isThere = isAgent ? agents.has(email) : earlier.has(member) || !newAccounts.has(email);
    if (!isThere) throw invalid(`Service account ${email} does not exist.`);
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

/** Hides conditions from callers that do not request version 3. */
function asVersion(policy: Policy, version: number): Policy {
  if (version >= 3) return policy;
  const bindings = (policy.bindings ?? []).map(({ condition, ...binding }) =>
    condition ? { ...binding, role: `${binding.role}_withcond_${condition.title ?? ""}` } : binding,
  );
  return { ...policy, ...(policy.bindings && { bindings }) };
}
