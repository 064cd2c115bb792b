import { param, query, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";
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
  const needs = (verb: string) => () => [
    { permission: `monitoring.${kind}.${verb}`, resource: projectResource(cloud) },
  ];
  const found = (name: string): Resource => {
    const resource = kept.get(name);
    if (!resource) throw new Refusal("NOT_FOUND", `Could not find "${name}".`);
    return resource;
  };
  const method = (verb: string): string => `monitoring.projects.${kind}.${verb}`;
  return {
    [method("create")]: {
      needs: needs("create"),
      run: (call) => {
        check(call.body as Resource);
        last += 1;
        const name = `${param(call, "name")}/${kind}/${7_000_000 + last}`;
        const made = { enabled: true, ...(call.body as object), name };
        kept.set(name, made);
        return made;
      },
    },
    [method("get")]: { needs: needs("get"), run: (call) => found(param(call, "name")) },
    [method("list")]: { needs: needs("list"), run: (call) => inPages(call, kind, [...kept.values()]) },
    [method("patch")]: {
      needs: needs("update"),
      run: (call) => {
        const before = found(param(call, "name"));
        const change = call.body as Readonly<Record<string, unknown>>;
        const named = (query(call, "updateMask") ?? "").split(",").filter(Boolean);
        const changed = { ...before, ...Object.fromEntries(named.map((name) => [name, change[name]])) };
        check(changed);
        kept.set(before.name, changed);
        return changed;
      },
    },
    [method("delete")]: {
      needs: needs("delete"),
      run: (call) => void kept.delete(found(param(call, "name")).name),
    },
  };
}
