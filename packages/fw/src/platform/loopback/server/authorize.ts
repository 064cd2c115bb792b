import type { IncomingMessage } from "node:http";
import type { CallVerifier } from "../../call-verifier.ts";
import { PlatformError } from "../../errors.ts";
import { isGranted, type AccessRequest, type Grant } from "../../grants.ts";

/** Returns the service that the caller's token identifies; fails with `denied`. */
export function serviceOf(request: IncomingMessage, callers: CallVerifier, now: number): string {
  const [, token = ""] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  const opened = callers.open(token, now);
  if ("invoker" in opened) return opened.invoker;
  throw new PlatformError("denied", `the platform refused a call: ${opened.refused}`);
}

/** Checks that the service's grants cover all requests. Otherwise throws a PlatformError `denied`. */
export function checkGrants(service: string, grants: readonly Grant[], requests: readonly AccessRequest[]): void {
  const missing = requests.find((ask) => !isGranted(grants, ask));
  if (missing === undefined) return;
  const { kind, name, asks } = missing;
  throw new PlatformError(
    "denied",
    `the service ${service} has no grant for "${asks}" of ${kind}${name === "" ? "" : ` "${name}"`}: fw derives grants from the code that a service can reach, and found no such use there`,
  );
}
