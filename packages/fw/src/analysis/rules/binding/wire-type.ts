import type { Rule } from "../../rule.ts";
import type { RefusalReason } from "../../schema/type.ts";
import { isCarrier, typesOf } from "../select.ts";

export const wireType: Rule = {
  id: "wire-type",
  title: "What a body, a response or a message holds has a type that JSON can carry",
  *declaration(read) {
    if (isCarrier(read)) {
      for (const { at, message, hint, reason } of read.types?.refusals ?? []) {
        yield { at, message, hint: reason === "blob" ? blobHint : hint };
      }
    }
    const types = typesOf(read);
    if (!types) return;
    for (const { at, message, hint } of types.requestRefusals) yield { at, message, hint };
    for (const { at, message, hint, reason } of types.responseRefusals) {
      yield { at, message, hint, consequence: uninferred.has(reason) };
    }
  },
};

const blobHint = "keep the file in a bucket, and send its key";

/** What TypeScript infers for the response of a call that it refuses, for whatever reason. */
const uninferred: ReadonlySet<RefusalReason> = new Set(["any", "unknown", "unresolved"]);
