import type { Span } from "../../../model/diagnostic.ts";
import type { ParsedEndpoint } from "../../readers/endpoint.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import type { ParsedSite } from "../../readers/site.ts";
import type { Finding, Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

interface Ingress {
  readonly private: boolean;
  readonly at: Span;
  readonly site: boolean;
}

export const mixedIngress: Rule = {
  id: "mixed-ingress",
  title: "The routes of a package are all public or all private",
  *package(read) {
    const ingresses = read.reads
      .filter((read) => isEndpoint(read) || read.kind === "site")
      .map(ingressOf)
      .filter((door) => door !== undefined);
    const [first] = ingresses;
    const other = ingresses.find((door) => door.private !== first?.private);
    if (first && other) yield finding(read, first, other);
  },
};

/** Returns whether a route is private, and where it says so; undefined if its config is unreadable or contradictory. */
function ingressOf(read: ParsedEndpoint | ParsedSite): Ingress | undefined {
  if (read.kind === "site") return { private: false, at: read.text.at, site: true };
  const { private: setting, allow } = read.config.settings;
  if (setting?.value === true && allow) return undefined;
  if (setting) return setting.value === undefined ? undefined : { private: setting.value, at: setting.at, site: false };
  return read.config.complete ? { private: false, at: read.text.at, site: false } : undefined;
}

function finding({ name }: ParsedPackage, first: Ingress, other: Ingress): Finding {
  return {
    at: other.at,
    message: `the package "${name}" mixes private routes with ${[first, other].some((ingress) => ingress.site) ? "a public site" : "public ones"}`,
    hint: "a package is one service with one ingress; move the private routes to another package",
    related: [{ at: first.at, message: `the first route of the package is ${first.private ? "private" : "public"}` }],
  };
}
