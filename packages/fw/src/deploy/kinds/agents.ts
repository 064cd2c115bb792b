import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import type { CloudRequest } from "../../platform/gcp/rest/client.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import type { DeployPlace } from "../place.ts";

/** The service agents that applications grant roles to: Google's own accounts, one of each in a project. */
export type AgentName = "gcp-sa-pubsub" | "gs-project-accounts";

interface Agent {
  /** The API that acts as it. */
  readonly api: Api;
  /** The request that creates it; a second one finds it. */
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

/** The agent that a member of a policy is. */
export function agentIn(member: string): { readonly name: AgentName; readonly api: Api } | undefined {
  const name = /^serviceAccount:service-\d+@([\w-]+)\./.exec(member)?.[1];
  return name !== undefined && isAgentName(name) ? { name, api: agents[name].api } : undefined;
}

/** Creates the agent that a member is, if it is one: until its operation has ended, no role can be granted to it. */
export async function createAgent(member: string, cloud: DeployCloud): Promise<void> {
  const agent = agentIn(member);
  if (agent === undefined) return;
  await cloud.once(member, async () => {
    cloud.fresh.addAccount(member.replace(/^\w+:/, ""));
    const request = agents[agent.name].create(cloud.place);
    try {
      await cloud.finished(await cloud.call(request), request.api);
    } catch (error) {
      // The agent may exist though this account may not create one; if it does not, the grant itself is refused.
      if (!(error instanceof CloudError) || error.status !== 403) throw error;
    }
  });
}

function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(agents, name);
}
