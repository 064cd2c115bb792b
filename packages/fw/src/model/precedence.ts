import type { Route, Segment } from "./route.ts";

/**
 * The route for a request that matches both: the more specific one, with a literal wherever they differ. `apart` if no
 * request matches both, `same` if they match exactly the same requests, `neither` if each is more specific at some
 * segment, so that the pair is ambiguous.
 */
export type Precedence = "first" | "second" | "same" | "neither" | "apart";

export function precedence(first: Route, second: Route): Precedence {
  if (first.method !== second.method || first.segments.length !== second.segments.length) return "apart";
  let firstWins = false;
  let secondWins = false;
  for (const [index, segment] of first.segments.entries()) {
    const other = second.segments[index] as Segment;
    if ("literal" in segment && "literal" in other) {
      if (segment.literal !== other.literal) return "apart";
    } else if ("literal" in segment) firstWins = true;
    else if ("literal" in other) secondWins = true;
  }
  if (firstWins && secondWins) return "neither";
  if (firstWins) return "first";
  return secondWins ? "second" : "same";
}
