import type { BundledRemote } from "../bundle.ts";

/** A call in a sentence: `GET /orders/{id} of the service orders`. */
export function nameOf({ route, service }: Pick<BundledRemote, "route" | "service">): string {
  return `${route} of the service ${service}`;
}
