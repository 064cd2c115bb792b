import { openGcp } from "../../platform/gcp/open.ts";
import type { CloudParts } from "../../platform/gcp/parts.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import type { TaggedLogger } from "../../runtime/observe/log.ts";
import type { Placing } from "../platform.ts";
import { hasForms } from "./forms.ts";

/** Opens the data of a service, and finds the key of its forms, which all instances share. */
export async function openData(
  { place, cloud }: Pick<CloudParts, "place" | "cloud">,
  bundle: Bundle,
  log: TaggedLogger,
): Promise<Pick<Placing["options"], "platform" | "csrfKey">> {
  const platform = await openGcp(place, definitionsOf(bundle), cloud);
  const { destinations = [] } = bundle;
  platform.outbox.watch({
    destinations: destinations.map(({ kind, name }) => ({ kind, name })),
    tell: ({ id, destination, error }) =>
      log.warn("a message of a transaction could not be sent; it is tried again", {
        message: id,
        destination: `${destination.kind}:${destination.name}`,
        error,
      }),
  });
  return hasForms(bundle) ? { platform, csrfKey: await platform.secret("csrf") } : { platform };
}
