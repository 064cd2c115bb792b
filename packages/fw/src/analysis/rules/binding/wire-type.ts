import type { Finding, Rule } from "../../rule.ts";
import type { TypeProblem } from "../../schema/schema.ts";
import type { RefusalReason } from "../../schema/type.ts";
import { isDestination, typesOf } from "../select.ts";

export const wireType: Rule = {
  id: "wire-type",
  title: "Everything in a JSON body, a response, a message and a document has a type that can be sent or stored",
  *declaration(read) {
    if (read.kind === "entity") yield* (read.types?.refusals ?? []).map(unstorableFinding);
    if (isDestination(read) || read.kind === "errors" || read.kind === "feed") {
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

const blobHint = "store the file in a bucket and send its key";

function unstorableFinding({ at, name, reason, hint }: TypeProblem): Finding {
  return {
    at,
    message: `${reason === "function" ? "a function" : name} cannot be stored in a document`,
    hint: storableHints[reason] ?? hint,
  };
}

const transientHint = "store the data it is derived from, or mark the field Transient<T>";
const storableHints: Readonly<Partial<Record<RefusalReason, string>>> = {
  function: transientHint,
  class: transientHint,
  global: transientHint,
  blob: "store the file in a bucket and its key in the document",
};

/** Refusals of an inferred response type that an error in the handler's code may cause. */
const uninferred: ReadonlySet<RefusalReason> = new Set(["any", "unknown", "unresolved"]);
