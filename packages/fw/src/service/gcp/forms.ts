import type { Bundle } from "../../runtime/bundle.ts";
import { isUnsafe } from "../../runtime/routing/route.ts";

/** True if the service may have forms for anonymous clients, whose tokens every instance must verify. */
export function hasForms({ endpoints }: Bundle): boolean {
  return endpoints.some((endpoint) => endpoint.kind === "page" && isUnsafe(endpoint));
}
