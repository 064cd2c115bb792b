import { agentIn, type AgentName } from "../kinds/agents.ts";
import { itemsOf, listOf, textOf } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { blockText, Expression, quoted } from "./hcl.ts";

/**
 * True if a configuration needs the provider `google-beta`: the provider `google` does not have Pub/Sub's service
 * agent.
 */
export function needsBeta(resources: readonly Resource[]): boolean {
  return agentsOf(resources).includes("gcp-sa-pubsub");
}

/** The blocks that create the service agents that roles are granted to, each after its API. */
export function agentBlocks(
  resources: readonly Resource[],
  apiAddressOf: (api: string) => string | undefined,
): readonly { readonly text: string; readonly address: string }[] {
  return agentsOf(resources).map((name) => {
    const { words, body, api } = blocks[name];
    const dependency = apiAddressOf(api);
    const depends_on = dependency === undefined ? undefined : [new Expression(dependency)];
    const address = words[0] === "data" ? words.join(".") : words.slice(1).join(".");
    return { text: blockText(words, { ...body, depends_on }, quoted), address };
  });
}

const blocks = {
  "gcp-sa-pubsub": {
    words: ["resource", "google_project_service_identity", "pubsub"],
    body: { provider: new Expression("google-beta"), service: "pubsub.googleapis.com" },
    api: "pubsub",
  },
  // A lookup creates this agent.
  "gs-project-accounts": {
    words: ["data", "google_storage_project_service_account", "this"],
    body: {},
    api: "storage",
  },
} as const;

function agentsOf(resources: readonly Resource[]): readonly AgentName[] {
  const members = resources
    .filter(({ kind }) => kind === "grants")
    .flatMap(({ spec }) => itemsOf(spec["bindings"]))
    .flatMap((binding) => listOf(binding["members"]).map(textOf));
  return [...new Set(members.flatMap((member) => agentIn(member)?.name ?? []))].toSorted();
}
