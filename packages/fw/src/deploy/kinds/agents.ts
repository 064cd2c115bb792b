import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import type { CloudRequest } from "../../platform/gcp/rest/client.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** The service agents that deploys grant roles to. They are Google's own accounts, one of each per project. */
export type AgentName = "gcp-sa-pubsub" | "gs-project-accounts";

interface Agent {
  readonly api: Api;
  /** The idempotent request that creates it. */
  readonly create: (place: DeployPlace) => CloudRequest;
}

const agents: Readonly<Record<AgentName, Agent>> = {
  "gcp-sa-pubsub": {
    api: "pubsub",
    create: ({ projectNumber }) => ({
      api: "serviceusage",
      method: "POST",
      path: `/v1beta1/projects/${projectNumber}/services/pubsub.googleapis.com:generateServiceIdentity`,
      repeatable: true,
    }),
  },
  "gs-project-accounts": {
    api: "storage",
    create: ({ project }) => ({
      api: "storage",
      method: "GET",
      path: `/storage/v1/projects/${project}/serviceAccount`,
    }),
  },
};

/** Returns the service agent for a policy member; undefined if the member is not one. */
export function agentIn(member: string): { readonly name: AgentName; readonly api: Api } | undefined {
  const name = /^serviceAccount:service-\d+@([\w-]+)\./.exec(member)?.[1];
  return name !== undefined && isAgentName(name) ? { name, api: agents[name].api } : undefined;
}

/** Creates the service agent if the member is one, because roles cannot be granted to an agent that does not exist. */
export async function createAgent(member: string, cloud: DeployCloud): Promise<void> {
  const agent = agentIn(member);
  if (agent === undefined) return;
  await cloud.once(member, async () => {
    cloud.fresh.addAccount(member.replace(/^\w+:/, ""));
    const request = agents[agent.name].create(cloud.place);
    try {
      await cloud.waitForOperation(await cloud.call(request), request.api);
    } catch (error) {
      // This account lacks the permission, but the agent may exist already. If not, the grant fails.
      if (!(error instanceof CloudError) || error.status !== 403) throw error;
    }
  });
}

function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(agents, name);
}
