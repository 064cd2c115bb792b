import { precedence } from "../../../model/precedence.ts";
import type { Route } from "../../../model/route.ts";
import type { ParsedEndpoint } from "../../readers/endpoint.ts";
import type { Finding, Rule } from "../../rule.ts";
import { endpointsOf } from "../select.ts";
import { RouteTree } from "../../../model/route-tree.ts";

interface RouteEntry {
  readonly route: Route;
  readonly read: ParsedEndpoint;
}

export const routeConflict: Rule = {
  id: "route-conflict",
  title: "Of two routes of one service that match the same request, one is more specific",
  *package(read) {
    const earlier = new RouteTree<RouteEntry>();
    for (const endpoint of endpointsOf(read)) {
      const { route } = endpoint;
      if (!route) continue;
      const entry = { route, read: endpoint };
      const clashing = earlier.overlapping(route).filter((other) => clash(other.route, route));
      if (clashing.length > 0) yield finding(entry, clashing);
      earlier.add(route, entry);
    }
  },
};

function clash(first: Route, second: Route): boolean {
  const result = precedence(first, second);
  return result === "same" || result === "neither";
}

function finding({ route, read }: RouteEntry, clashing: readonly RouteEntry[]): Finding {
  const [first] = clashing.toSorted((a, b) => rank(a, route) - rank(b, route)) as [RouteEntry];
  const related = [{ at: first.read.text.at, message: `"${first.route.pattern}" is declared here` }];
  if (precedence(first.route, route) === "same") {
    const message =
      first.route.pattern === route.pattern
        ? `the route "${route.pattern}" is declared twice`
        : `"${route.pattern}" answers the same requests as "${first.route.pattern}"`;
    return { at: read.text.at, message, hint: "change the path or method of one", related };
  }
  return {
    at: read.text.at,
    message: `"${route.pattern}" and "${first.route.pattern}" both match ${example(first.route, route)}, and neither is more specific`,
    hint: "change one path: where the two differ, one of them must have all the literal segments",
    related,
  };
}

/** Ranks conflicting routes, lowest first: one that matches the same requests before one that only overlaps. */
function rank(other: RouteEntry, route: Route): number {
  return precedence(other.route, route) === "same" ? 0 : 1;
}

/** Returns a path that matches both routes. */
function example(first: Route, second: Route): string {
  const parts = first.segments.map((segment, index) => {
    const other = second.segments[index];
    if ("literal" in segment) return segment.literal;
    return other && "literal" in other ? other.literal : `{${segment.param}}`;
  });
  return `/${parts.join("/")}`;
}
