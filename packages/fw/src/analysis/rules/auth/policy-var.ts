import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";
import { notNamed } from "../not-named.ts";

export const policyVar: Rule = {
  id: "policy-var",
  title: "The setting `allow` names a declared policy",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { allow } = read.config.settings;
    if (allow?.value) yield* notNamed(allow.value, allow.at, requirement);
  },
};

const requirement = {
  noun: "a policy",
  example: "export const CanEdit = RequireRole(Editor)",
  choice: "decide inside one policy and name it here: export const CanEdit = Policy((ctx) => …)",
};
