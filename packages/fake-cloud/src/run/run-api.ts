import { nameOf, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { methodsOf, namedIn, type ResourceKind } from "../methods.ts";

const host = "run.googleapis.com";

/** Creates the API of Cloud Run: services, jobs, domain mappings, and the operations that change them. */
export function run({ operations }: Cloud, parts: readonly Pick<Api, "methods">[]): Api {
  const kind: ResourceKind = {
    methods: "run.projects.locations.operations",
    permissions: "run.operations",
    on: namedIn(host),
  };
  const own = methodsOf(kind, {
    get: (call) => operations.get(nameOf(call)),
    wait: { permission: "get", run: (call) => operations.wait(nameOf(call)) },
  });
  return { host, methods: Object.assign({}, ...parts.map(({ methods }) => methods), own) as Api["methods"] };
}
