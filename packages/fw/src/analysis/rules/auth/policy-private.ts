import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const policyPrivate: Rule = {
  id: "policy-private",
  title: "A route with a policy is not private",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { allow, private: internal } = read.config.settings;
    if (!allow || internal?.value !== true) return;
    yield {
      at: internal.at,
      message: "a private route cannot have a policy: other services can call it without a session",
      hint: "remove private or allow: a policy decides about a user",
      related: [{ at: allow.at, message: "the policy is here" }],
    };
  },
};
