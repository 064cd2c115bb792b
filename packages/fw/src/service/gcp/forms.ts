import type { Bundle } from "../../runtime/bundle.ts";
import { isUnsafe } from "../../runtime/routing/route.ts";

/** Whether visitors who are not signed in may have forms of the service, whose tokens every instance has to know. */
export function hasForms({ endpoints }: Bundle): boolean {
  return endpoints.some((endpoint) => endpoint.kind === "page" && isUnsafe(endpoint));
}
