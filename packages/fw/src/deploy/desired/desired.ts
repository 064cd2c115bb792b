import type { Resource } from "../resource.ts";
import { withApis } from "./apis.ts";
import { bucketResources } from "./buckets.ts";
import { documentResources } from "./documents.ts";
import { grantResources } from "./grants.ts";
import { messageResources } from "./messages.ts";
import { observedResources } from "./observed.ts";
import type { Declared } from "./parts.ts";
import { projectResources } from "./project.ts";
import { serviceResources } from "./services.ts";

/** Everything that an application needs in its project, from what its manifest says alone. */
export function desired(declared: Declared): readonly Resource[] {
  const resources = [
    ...projectResources(declared),
    ...documentResources(declared),
    ...bucketResources(declared),
    ...messageResources(declared),
    ...serviceResources(declared),
    ...observedResources(declared),
  ];
  return withApis(declared, [...resources, ...grantResources(declared, resources)]);
}
