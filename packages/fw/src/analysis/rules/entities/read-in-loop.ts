import type { LoopRead } from "../../readers/loop-read.ts";
import type { Rule } from "../../rule.ts";

export const readInLoop: Rule = {
  id: "read-in-loop",
  title: "The documents that the results of a query refer to are read together, not one by one",
  isWarning: true,
  *app({ loopReads }) {
    for (const read of loopReads) {
      const { text, at, loop, fix } = read;
      yield {
        at,
        message: `${text} reads one document for each document of a query (N+1 queries)`,
        hint: hintOf(read),
        ...(loop.line !== at.line && { related: [{ at: loop, message: "the loop goes through the query here" }] }),
        ...(fix && { fix: { kind: "edits", title: "Read the documents together", at, edits: fix } }),
      };
    }
  },
};

function hintOf({ ref, together }: LoopRead): string {
  const batch = together === undefined ? undefined : `read them before the loop: ${together}`;
  const relation = ref === undefined ? undefined : `read them with the query: .with("${ref}")`;
  return [relation, batch].filter((each) => each !== undefined).join(", or ");
}
