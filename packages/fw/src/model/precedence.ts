import type { Route, Segment } from "./route.ts";

/**
 * The precedence of two routes for requests that match both: the route with a literal wherever they differ wins. `same`
 * if they match exactly the same requests, `apart` if no request matches both, and `neither` if the pair is ambiguous
 * because each has a literal where the other has a parameter.
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
