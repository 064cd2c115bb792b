import type { Endpoint } from "../model/app.ts";
import type { Segment } from "../model/route.ts";

/** The endpoint that answers a path, in which `{}` stands for what is worked out: a literal goes before a parameter, from the left. */
export function routeFor(endpoints: readonly Endpoint[], method: string, path: string): Endpoint | undefined {
  if (!path.startsWith("/")) return undefined;
  const parts = path.split("/").slice(1);
  const fitting = endpoints.filter(({ route }) => route.method === method && fits(route.segments, parts));
  return fitting.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))[0];
}

/** Sorts literals before parameters. */
function rank({ route }: Endpoint): string {
  return route.segments.map((segment) => ("literal" in segment ? "0" : "1")).join("");
}

function fits(segments: readonly Segment[], parts: readonly string[]): boolean {
  const own = parts.length === 1 && parts[0] === "" ? [] : parts;
  if (segments.length !== own.length) return false;
  return segments.every((segment, index) => {
    const text = own[index] ?? "";
    return "param" in segment ? text !== "" : segment.literal === text;
  });
}
