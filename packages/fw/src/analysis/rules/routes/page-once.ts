import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const pageOnce: Rule = {
  id: "page-once",
  title: "Only a page that receives a form from a browser sets `once`",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { once, private: internal } = read.config.settings;
    if (once?.value !== true) return;
    const { method = "" } = read.route ?? {};
    if (internal?.value === true)
      yield {
        at: once.at,
        message: "once has no effect: only other services call a private page, and they submit no form",
        hint: "remove once, or private",
        related: [{ at: internal.at, message: "the page is private here" }],
      };
    else if (method === "GET" || method === "HEAD" || method === "OPTIONS")
      yield {
        at: once.at,
        message: `once has no effect: a ${method} submits no form`,
        hint: "remove once, or give the page another method",
        fix: { kind: "leave out", at: once.at, name: "once" },
      };
  },
};
