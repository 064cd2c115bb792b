import { nameOf, shortName, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";

/** Creates the API that reads the state of the project's APIs, enables them, and creates their service agents. */
export function serviceUsage(cloud: Cloud): Api {
  const enabled = cloud.switchedOn ?? new Set(["serviceusage.googleapis.com", "cloudresourcemanager.googleapis.com"]);
  const json = (name: string): unknown => {
    const service = shortName(name);
    return {
      name: `projects/${cloud.project.number}/services/${service}`,
      config: { name: service },
      state: enabled.has(service) ? "ENABLED" : "DISABLED",
      parent: `projects/${cloud.project.number}`,
    };
  };
  const kind: ResourceKind = {
    methods: "serviceusage.services",
    permissions: "serviceusage.services",
    on: onProject(cloud),
  };
  return {
    host: "serviceusage.googleapis.com",
    methods: {
      ...methodsOf(kind, {
        get: (call) => json(nameOf(call)),
        enable: (call) => {
          const name = nameOf(call);
          return cloud.operations.after("", cloud.delays.enable, () => {
            enabled.add(shortName(name));
            spread(cloud, shortName(name));
            return {
              "@type": "type.googleapis.com/google.api.serviceusage.v1.EnableServiceResponse",
              service: json(name),
            };
          });
        },
        generateServiceIdentity: (call) => {
          const agent = cloud.agent("gcp-sa-pubsub");
          if (!nameOf(call).endsWith("/services/pubsub.googleapis.com"))
            throw invalid("Service identities are not supported for this service.");
          // …/v1beta1/services/generateServiceIdentity returns an operation; the agent exists when it has finished.
          return cloud.operations.after("", cloud.delays.agent, () => {
            cloud.agents.add(agent);
            return { "@type": "type.googleapis.com/google.api.serviceusage.v1beta1.ServiceIdentity", email: agent };
          });
        },
      }),
      "serviceusage.operations.get": cloud.operations.getMethod,
    },
  };
}

/**
 * Lets a newly enabled API still answer SERVICE_DISABLED for a while. Google's own error says: "If you enabled this API
 * recently, wait a few minutes for the action to propagate".
 */
function spread({ clock, delays, spreading }: Cloud, host: string): void {
  if (delays.spread === 0) return;
  spreading.add(host);
  clock.after(delays.spread, () => void spreading.delete(host));
}
