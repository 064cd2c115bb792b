import type { Api } from "../api.ts";
import { methodsOf, namedIn, nameOf, type ResourceKind } from "../methods.ts";
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
  const kind: ResourceKind = {
    methods: "run.projects.locations.operations",
    permissions: "run.operations",
    on: namedIn(host),
  };
  return {
    host,
    methods: {
      ...services.methods,
      ...jobs.methods,
      ...domains.methods,
      ...methodsOf(kind, {
        get: (call) => operations.get(nameOf(call)),
        wait: { permission: "get", run: (call) => operations.wait(nameOf(call)) },
      }),
    },
  };
}
