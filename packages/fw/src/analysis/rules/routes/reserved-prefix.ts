import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

const reserved = "_fw";

/** True for a route under the prefix, even if it is invalid for another reason. */
export function isReserved(route: string): boolean {
  return /^\S+ \/_fw(?:\/|$)/.test(route);
}

export const reservedPrefix: Rule = {
  id: "reserved-prefix",
  title: "No route is inside `/_fw/`",
  *declaration(read) {
    if (isEndpoint(read)) {
      const { at, value } = read.text;
      if (value !== undefined && isReserved(read.kind === "mount" ? `* ${value}` : value))
        yield { at, message: `the route "${value}" is inside /_fw/`, hint };
    }
    if (read.kind === "site") {
      for (const { from, at } of read.config.settings.redirects?.value ?? []) {
        if (from.split("/")[1] === reserved) yield { at, message: `the redirect of "${from}" is inside /_fw/`, hint };
      }
    }
  },
};

const hint = "fw reserves that prefix; choose another";
