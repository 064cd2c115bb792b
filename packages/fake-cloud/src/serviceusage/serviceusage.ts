import type { Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { methodsOf, nameOf, onProject, shortName, type ResourceKind } from "../methods.ts";

/** Milliseconds until an API that was enabled is. */
const enablingMs = 200;

/** Which APIs the project may use. */
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
          return cloud.operations.after("", enablingMs, () => {
            enabled.add(shortName(name));
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
          cloud.agents.add(agent);
          return { name: "operations/finished.DONE_OPERATION", done: true, response: { email: agent } };
        },
      }),
      "serviceusage.operations.get": cloud.operations.getMethod,
    },
  };
}
