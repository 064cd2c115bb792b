import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const cacheSignin: Rule = {
  id: "cache-signin",
  title: "A route that requires sign-in, through `signIn` or a policy, has no `maxAge`",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { maxAge, signIn, allow } = read.config.settings;
    const gate = allow ?? (signIn?.value === true ? signIn : undefined);
    if (!maxAge || !gate) return;
    yield {
      at: maxAge.at,
      message: "a route that requires sign-in cannot have a shared cache",
      hint: "remove maxAge, or serve the shared content from a public route",
      fix: { kind: "leave out", at: maxAge.at, name: "maxAge" },
      related: [{ at: gate.at, message: "sign-in is required here" }],
    };
  },
};
