import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const livePage: Rule = {
  id: "live-page",
  title: "A live page is a GET without `maxAge`, and its code only reads entities and the runs of jobs",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { live, maxAge, private: internal } = read.config.settings;
    if (live?.value !== true) return;
    const { method = "GET" } = read.route ?? {};
    const fix = { kind: "leave out", at: live.at, name: "live" } as const;
    if (method !== "GET")
      yield {
        at: live.at,
        message: `a ${method} cannot be live: only GET pages can`,
        hint: "remove live",
        fix,
      };
    if (maxAge)
      yield {
        at: live.at,
        message: "a page with maxAge cannot be live: caches serve stale versions of it",
        hint: "remove live, or maxAge",
        related: [{ at: maxAge.at, message: "maxAge is here" }],
      };
    if (internal?.value === true)
      yield {
        at: live.at,
        message: "a private page cannot be live: no browser reaches it",
        hint: "remove live, or private",
        related: [{ at: internal.at, message: "the page is private here" }],
      };
  },
  *app({ unfollowed }) {
    for (const { route, operation, at } of unfollowed)
      yield {
        at,
        message: `the live page "${route}" cannot detect changes of this: ${operation}`,
        hint: "read only entities and job runs in a live page, or remove live",
      };
  },
};
