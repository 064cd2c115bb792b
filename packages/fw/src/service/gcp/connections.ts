import type { CloudLocation } from "../../platform/gcp/cloud-location.ts";
import type { Cloud } from "../../platform/gcp/cloud.ts";
import { pusher } from "../../platform/gcp/messages/caller.ts";
import { pusherEmail, serviceUrl } from "../../platform/gcp/names.ts";
import { CallerTokens } from "../../platform/gcp/rest/caller-tokens.ts";
import { googleKeys, serviceTokens } from "../../platform/gcp/rest/service-token.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { usesBackground, usesCallers, usesRemotes } from "../../runtime/capabilities.ts";
import type { ServicePlacement } from "../platform.ts";
import { invokerCheck } from "./invoker-check.ts";
import { cloudDirectory, serviceVerifier } from "./peers.ts";

interface ServiceConnections {
  readonly bundle: Bundle;
  /** The services whose code calls this one. */
  readonly callers: readonly string[];
}

/** Returns the addresses of its peers, and verifiers for its callers and for messages and triggers. */
export function connections(
  cloud: Cloud,
  place: CloudLocation,
  { bundle, callers }: ServiceConnections,
): Pick<ServicePlacement["options"], "services" | "callers" | "caller"> {
  const services = usesRemotes
    ? { services: cloudDirectory(place, { hosts: cloud.hosts, tokens: new CallerTokens(cloud) }) }
    : {};
  if (!usesCallers && !usesBackground) return services;
  const audience = serviceUrl(place, place.service);
  const tokens = serviceTokens({
    audience,
    keys: googleKeys(cloud),
    isVerifiedBefore: isPrivate(bundle) ? invokerCheck(audience, cloud) : () => Promise.resolve(false),
    now: () => cloud.clock.now(),
  });
  return {
    ...services,
    ...(usesCallers && { callers: serviceVerifier(place, tokens, callers) }),
    ...(usesBackground && { caller: pusher({ audience, invoker: pusherEmail(place, place.service), tokens }) }),
  };
}

/** True if only the platform and other services call it: Cloud Run refuses all other callers. */
function isPrivate({ endpoints, packages }: Bundle): boolean {
  return endpoints.every((endpoint) => endpoint.private) && packages.every(({ site }) => site === undefined);
}
