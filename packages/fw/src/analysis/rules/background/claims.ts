import { repeats } from "../../../lib/grouped.ts";
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
  const all = packages.flatMap((pkg): ParsedConsumer[] => ofKind(pkg, kind));
  const inOrder = all.toSorted((a, b) => inSourceOrder(a.at, b.at));
  for (const { first, again } of repeats(inOrder, sourceKey)) {
    const related = [{ at: first.at, message: `"${first.declaration.variable}" claims it here` }];
    yield { at: again.at, ...explain(first, again), related };
  }
}

function sourceKey({ source }: ParsedConsumer): string | undefined {
  return source.kind === "wrong" ? undefined : declarationKey(source);
}
