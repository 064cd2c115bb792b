import { openGcp } from "../../platform/gcp/open.ts";
import type { CloudParts } from "../../platform/gcp/parts.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import type { TaggedLogger } from "../../runtime/observe/log.ts";
import type { Placing } from "../platform.ts";
import { hasForms } from "./forms.ts";

/** Whose data it is. */
interface Kept {
  readonly bundle: Bundle;
  /** The events that the framework tells for the service. */
  readonly tells: readonly string[];
  readonly log: TaggedLogger;
}

/** Opens the data of a service, and finds the key of its forms, which all instances share. */
export async function openData(
  { place, cloud }: Pick<CloudParts, "place" | "cloud">,
  { bundle, tells, log }: Kept,
): Promise<Pick<Placing["options"], "platform" | "csrfKey">> {
  const platform = await openGcp(place, definitionsOf(bundle), cloud);
  const own = (bundle.destinations ?? []).map(({ kind, name }) => ({ kind, name }));
  platform.outbox.watch({
    destinations: [...own, ...tells.map((name) => ({ kind: "event", name }) as const)],
    tell: ({ id, destination, error }) =>
      log.warn("a message of a transaction could not be sent; it is tried again", {
        message: id,
        destination: `${destination.kind}:${destination.name}`,
        error,
      }),
  });
  return hasForms(bundle) ? { platform, csrfKey: await platform.secret("csrf") } : { platform };
}
