import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const policyPrivate: Rule = {
  id: "policy-private",
  title: "A private route has no policy",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { allow, private: internal } = read.config.settings;
    if (!allow || internal?.value !== true) return;
    yield {
      at: internal.at,
      message: "a route that has a policy is private, and a private route is reached without a session",
      hint: "leave out private, or allow: a policy needs a user to decide about",
      related: [{ at: allow.at, message: "its policy is named here" }],
    };
  },
};
