import { param, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";
import { Operations } from "../operations.ts";

/** Before the names of operations, which have none here. */
const place = "services";

function named(operation: unknown): unknown {
  const { name, ...rest } = operation as { name: string };
  return { name: name.replace(`${place}/`, ""), ...rest };
}

/** Milliseconds until an API that was enabled is. */
const enablingMs = 200;

/** Which APIs the project may use. */
export function serviceUsage(cloud: Cloud): Api {
  const enabled = cloud.switchedOn ?? new Set(["serviceusage.googleapis.com", "cloudresourcemanager.googleapis.com"]);
  const operations = new Operations(cloud);
  const json = (name: string): unknown => {
    const service = name.split("/").at(-1) ?? "";
    return {
      name: `projects/${cloud.project.number}/services/${service}`,
      config: { name: service },
      state: enabled.has(service) ? "ENABLED" : "DISABLED",
      parent: `projects/${cloud.project.number}`,
    };
  };
  const needs = (permission: string) => () => [{ permission, resource: projectResource(cloud) }];
  return {
    host: "serviceusage.googleapis.com",
    methods: {
      "serviceusage.services.get": {
        needs: needs("serviceusage.services.get"),
        run: (call) => json(param(call, "name")),
      },
      "serviceusage.services.enable": {
        needs: needs("serviceusage.services.enable"),
        run: (call) => {
          const name = param(call, "name");
          const enable = async (): Promise<unknown> => {
            await cloud.clock.sleep(enablingMs);
            enabled.add(name.split("/").at(-1) ?? "");
            return {
              "@type": "type.googleapis.com/google.api.serviceusage.v1.EnableServiceResponse",
              service: json(name),
            };
          };
          return named(operations.start(place, () => ({}), enable()));
        },
      },
      "serviceusage.services.generateServiceIdentity": {
        needs: needs("serviceusage.services.generateServiceIdentity"),
        run: (call) => {
          const agent = cloud.agent("gcp-sa-pubsub");
          if (!param(call, "parent").endsWith("/services/pubsub.googleapis.com"))
            throw invalid("Service identities are not supported for this service.");
          cloud.agents.add(agent);
          return { name: "operations/finished.DONE_OPERATION", done: true, response: { email: agent } };
        },
      },
      "serviceusage.operations.get": {
        needs: () => [],
        run: (call) => named(operations.get(`${place}/${param(call, "name")}`)),
      },
    },
  };
}
