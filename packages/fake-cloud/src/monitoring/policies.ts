import { query, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { methodsOf, nameOf, onProject, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";

type Resource = Readonly<Record<string, unknown>> & { readonly name: string };

/** Alert policies and channels, whose names the cloud gives. */
export function policyAndChannelMethods(cloud: Cloud): Api["methods"] {
  const channels = new Map<string, Resource>();
  return {
    ...collection(cloud, "notificationChannels", channels, () => {}),
    ...collection(cloud, "alertPolicies", new Map(), ({ notificationChannels = [], conditions = [] }) => {
      for (const channel of notificationChannels as readonly string[])
        if (!channels.has(channel)) throw new Refusal("NOT_FOUND", `Could not find notification channel "${channel}".`);
      if ((conditions as readonly unknown[]).length === 0)
        throw invalid("Field alert_policy.conditions had an invalid value: must not be empty.");
    }),
  };
}

function collection(
  cloud: Cloud,
  kind: "alertPolicies" | "notificationChannels",
  kept: Map<string, Resource>,
  check: (resource: Readonly<Record<string, unknown>>) => void,
): Api["methods"] {
  let last = 0;
  const found = (name: string): Resource => {
    const resource = kept.get(name);
    if (!resource) throw new Refusal("NOT_FOUND", `Could not find "${name}".`);
    return resource;
  };
  const collected: ResourceKind = {
    methods: `monitoring.projects.${kind}`,
    permissions: `monitoring.${kind}`,
    on: onProject(cloud),
  };
  return methodsOf(collected, {
    create: (call) => {
      check(call.body as Resource);
      last += 1;
      const name = `${nameOf(call)}/${kind}/${7_000_000 + last}`;
      const made = { enabled: true, ...(call.body as object), name };
      kept.set(name, made);
      return made;
    },
    get: (call) => found(nameOf(call)),
    list: (call) => inPages(call, { [kind]: [...kept.values()] }),
    patch: (call) => {
      const before = found(nameOf(call));
      const change = call.body as Readonly<Record<string, unknown>>;
      const named = (query(call, "updateMask") ?? "").split(",").filter(Boolean);
      const changed = { ...before, ...Object.fromEntries(named.map((name) => [name, change[name]])) };
      check(changed);
      kept.set(before.name, changed);
      return changed;
    },
    delete: (call) => void kept.delete(found(nameOf(call)).name),
  });
}
