import { StatusError } from "../declare/errors.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { messages } from "./messages.ts";
import type { Request } from "./request.ts";

/** Refuses who is not signed in on a route that asks for it. Throws a StatusError 401. */
export function requireSignIn(endpoint: BundledEndpoint): void {
  if (endpoint.signIn) throw new StatusError(401, messages.signIn);
}

/** Refuses outsiders on a private route in dev, where there is no platform before the app. Throws a StatusError 403. */
export function requireInsider(request: Request, endpoint: BundledEndpoint): void {
  if (endpoint.private && request.app.mode === "dev") throw new StatusError(403, messages.privateRoute);
}
