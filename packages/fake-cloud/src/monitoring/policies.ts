import { nameOf, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { onProject } from "../methods.ts";
import { Resources } from "../resources.ts";

type Resource = Readonly<Record<string, unknown>>;

/** Returns the methods for alert policies and notification channels, whose names the cloud assigns. */
export function policyAndChannelMethods(cloud: Cloud): Api["methods"] {
  const channels = collection(cloud, "notificationChannels", (channel) => channel);
  const policies = collection(cloud, "alertPolicies", (policy) => {
    const { notificationChannels = [], conditions = [] } = policy;
    for (const channel of notificationChannels as readonly string[])
      if (!channels.has(channel)) throw new Refusal("NOT_FOUND", `Could not find notification channel "${channel}".`);
    if ((conditions as readonly unknown[]).length === 0)
      throw invalid("Field alert_policy.conditions had an invalid value: must not be empty.");
    return policy;
  });
  return { ...channels.methods(), ...policies.methods() };
}

/** Creates the resources of a collection. `checked` refuses an invalid resource. */
function collection(
  cloud: Cloud,
  items: "alertPolicies" | "notificationChannels",
  checked: (resource: Resource) => Resource,
): Resources<Resource> {
  let last = 7_000_000;
  return new Resources<Resource>({
    methods: `monitoring.projects.${items}`,
    permissions: `monitoring.${items}`,
    on: onProject(cloud),
    items,
    newName: (call) => `${nameOf(call)}/${items}/${++last}`,
    missing: (name) => new Refusal("NOT_FOUND", `Could not find "${name}".`),
    make: (call, name) => checked({ enabled: true, ...(call.body as object), name }),
    change: (before, change) => checked({ ...before, ...change }),
  });
}
