import { param, type Api, type Call, type Needed } from "../api.ts";
import type { Operations } from "../operations.ts";
import type { DomainMappings } from "./domains.ts";
import type { RunJobs } from "./jobs.ts";
import type { ServicesApi } from "./services-api.ts";

const host = "run.googleapis.com";

interface Parts {
  readonly services: ServicesApi;
  readonly jobs: RunJobs;
  readonly domains: DomainMappings;
  readonly operations: Operations;
}

/** Cloud Run: services, jobs, domains that lead to services, and the operations that changes of them are. */
export function run({ services, jobs, domains, operations }: Parts): Api {
  return {
    host,
    methods: {
      ...services.methods,
      ...jobs.methods,
      ...domains.methods,
      "run.projects.locations.operations.get": {
        needs: (call) => [needed(call, "run.operations.get")],
        run: (call) => operations.get(param(call, "name")),
      },
      "run.projects.locations.operations.wait": {
        needs: (call) => [needed(call, "run.operations.get")],
        run: (call) => operations.wait(param(call, "name")),
      },
    },
  };
}

function needed(call: Call, permission: string): Needed {
  return { permission, resource: `//${host}/${param(call, "name")}` };
}
