import { Fault, StatusError } from "../../declare/errors.ts";
import type { BundledRemote } from "../bundle.ts";
import { messages } from "../error-messages.ts";

/** Limit: bytes of the path and query of a call from one service to another. */
export const callPathBytes: number = 8 * 1024;

/** Describes a call: `GET /orders/{id} of the service orders`. */
export function describeCall({ route, service }: Pick<BundledRemote, "route" | "service">): string {
  return `${route} of the service ${service}`;
}

/**
 * Throws for a path that a call cannot use: a 400 if a parameter is empty, because the path would match another route
 * or none, and a Fault if the path and query are too long for a request's head.
 */
export function requirePath(name: string, route: string, path: string): void {
  if (path.length > callPathBytes)
    throw new Fault(
      `${name} was called with a path and query of ${path.length} bytes; the limit is ${callPathBytes}: send long values in the body`,
    );
  const [target = ""] = path.split("?", 1);
  const pattern = route.slice(route.indexOf(" ") + 1).split("/");
  const empty = target.split("/").findIndex((segment, index) => segment === "" && pattern[index]?.startsWith("{"));
  if (empty !== -1) throw new StatusError(400, messages.required(`path ${pattern[empty]?.slice(1, -1)}`));
}
