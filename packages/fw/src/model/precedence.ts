import type { Route, Segment } from "./route.ts";

/**
 * Which of two routes answers a request that fits both: the more specific one, that is the one with a literal
 * wherever the two differ. `apart` when no request fits both, `same` when exactly the same requests fit,
 * `neither` when each is the more specific one at some segment: that pair is ambiguous.
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
