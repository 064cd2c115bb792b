import { declarationKey } from "../../../model/declarations.ts";
import { inSourceOrder } from "../../../model/diagnostic.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { ParsedApp } from "../../readers/parsed.ts";
import type { Finding } from "../../rule.ts";
import { ofKind } from "../select.ts";

/** Every consumer of one kind whose source another one has claimed before. */
export function* secondClaims(
  { packages }: ParsedApp,
  kind: "worker" | "runner",
  explain: (first: ParsedConsumer, second: ParsedConsumer) => Pick<Finding, "message" | "hint">,
): Iterable<Finding> {
  const firsts = new Map<string, ParsedConsumer>();
  const all = packages.flatMap((part): ParsedConsumer[] => ofKind(part, kind));
  for (const read of all.toSorted((a, b) => inSourceOrder(a.at, b.at))) {
    if (read.source.kind === "wrong") continue;
    const key = declarationKey(read.source);
    const first = firsts.get(key);
    if (!first) firsts.set(key, read);
    else {
      const { variable } = first.declaration;
      yield {
        at: read.at,
        ...explain(first, read),
        related: [{ at: first.at, message: `"${variable}" claims it here` }],
      };
    }
  }
}
