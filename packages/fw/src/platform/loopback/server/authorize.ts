import type { IncomingMessage } from "node:http";
import type { CallVerifier } from "../../call-verifier.ts";
import { PlatformError } from "../../errors.ts";
import { isGranted } from "../../grants.ts";
import type { AccessRequest, Grant } from "../../grants.ts";

/** The service that sends a request, by its token; fails with `denied`. */
export function serviceOf(request: IncomingMessage, callers: CallVerifier, now: number): string {
  const [, token = ""] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  const opened = callers.open(token, now);
  if ("invoker" in opened) return opened.invoker;
  throw new PlatformError("denied", `a call to the platform was refused: ${opened.refused}`);
}

/** Fails with `denied` unless the grants of the service cover all that is asked. */
export function checkGrants(service: string, grants: readonly Grant[], asked: readonly AccessRequest[]): void {
  const missing = asked.find((ask) => !isGranted(grants, ask));
  if (missing === undefined) return;
  const { kind, name, asks } = missing;
  throw new PlatformError(
    "denied",
    `the service ${service} has no grant for "${asks}" of ${kind}${name === "" ? "" : ` "${name}"`}: grants are derived from the code that a service can reach, and no use of this was found there`,
  );
}
