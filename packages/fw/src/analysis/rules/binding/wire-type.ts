import type { Rule } from "../../rule.ts";
import type { RefusalReason } from "../../source/schema-type.ts";
import { typesOf } from "../select.ts";

export const wireType: Rule = {
  id: "wire-type",
  title: "What a body or a response holds has a type that JSON can carry",
  *declaration(read) {
    const types = typesOf(read);
    if (!types) return;
    for (const { at, message, hint } of types.requestRefusals) yield { at, message, hint };
    for (const { at, message, hint, reason } of types.responseRefusals) {
      yield { at, message, hint, consequence: uninferred.has(reason) };
    }
  },
};

/** What TypeScript infers for the response of a call that it refuses, for whatever reason. */
const uninferred: ReadonlySet<RefusalReason> = new Set(["any", "unknown", "unresolved"]);
