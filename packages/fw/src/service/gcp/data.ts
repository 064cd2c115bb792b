import { openGcp } from "../../platform/gcp/open.ts";
import type { CloudParts } from "../../platform/gcp/cloud-parts.ts";
import { hasMessages } from "../../platform/used-ports.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import type { TaggedLogger } from "../../runtime/observe/log.ts";
import type { ServicePlacement } from "../platform.ts";
import { isUnsafe } from "../../runtime/routing/route.ts";

interface DataOwner {
  readonly bundle: Bundle;
  /** The events that the framework publishes on the service's behalf. */
  readonly publishes: readonly string[];
  readonly log: TaggedLogger;
}

/**
 * Opens a service's data and, if it sends messages, starts to sweep its outbox. If it has forms, reads the key for form
 * tokens, which all instances share.
 */
export async function openData(
  { place, cloud }: Pick<CloudParts, "place" | "cloud">,
  { bundle, publishes, log }: DataOwner,
): Promise<Pick<ServicePlacement["options"], "platform" | "csrfKey">> {
  const platform = await openGcp(place, definitionsOf(bundle), cloud);
  if (hasMessages) {
    const own = (bundle.destinations ?? []).map(({ kind, name }) => ({ kind, name }));
    platform.outbox.watch({
      destinations: [...own, ...publishes.map((name) => ({ kind: "event", name }) as const)],
      tell: ({ id, destination, error }) =>
        log.warn("a message of a transaction could not be sent and will be retried", {
          message: id,
          destination: `${destination.kind}:${destination.name}`,
          error,
        }),
    });
  }
  return hasForms(bundle) ? { platform, csrfKey: await platform.secret("csrf") } : { platform };
}

/** True if the service may serve forms. Every instance must be able to verify the form tokens of anonymous clients. */
function hasForms({ endpoints }: Bundle): boolean {
  return endpoints.some((endpoint) => endpoint.kind === "page" && isUnsafe(endpoint));
}
