import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

const reserved = "_fw";

export const reservedPrefix: Rule = {
  id: "reserved-prefix",
  title: "No route is inside /_fw/",
  *declaration(read) {
    if (isEndpoint(read)) {
      const { route, text } = read;
      const [first] = route?.segments ?? [];
      if (route && first && "literal" in first && first.literal === reserved) {
        yield { at: text.at, message: `the route "${route.pattern}" is inside /_fw/`, hint };
      }
    }
    if (read.kind === "site") {
      for (const { from, at } of read.config.settings.redirects?.value ?? []) {
        if (from.split("/")[1] === reserved) yield { at, message: `the redirect of "${from}" is inside /_fw/`, hint };
      }
    }
  },
};

const hint = "the framework answers that prefix before any route of the application; choose another";
