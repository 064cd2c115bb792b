import type { Resource } from "../resource.ts";
import { withApis } from "./apis.ts";
import { bucketResources } from "./buckets.ts";
import { documentResources } from "./documents.ts";
import { grantResources } from "./grants.ts";
import { messageResources } from "./messages.ts";
import { observedResources } from "./monitoring.ts";
import type { ResourceInputs } from "./resource-inputs.ts";
import { projectResources } from "./project.ts";
import { serviceResources } from "./services.ts";

/** Returns all resources that an application needs in its project, derived from its manifest alone. */
export function desired(inputs: ResourceInputs): readonly Resource[] {
  const resources = [
    ...projectResources(inputs),
    ...documentResources(inputs),
    ...bucketResources(inputs),
    ...messageResources(inputs),
    ...serviceResources(inputs),
    ...observedResources(inputs),
  ];
  return withApis(inputs, [...resources, ...grantResources(inputs, resources)]);
}
