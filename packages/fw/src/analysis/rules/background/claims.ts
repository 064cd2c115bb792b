import { inSourceOrder } from "../../../model/diagnostic.ts";
import type { AnyConsumerRead } from "../../readers/background.ts";
import type { AppRead } from "../../readers/read.ts";
import type { DeclarationKey } from "../../readers/reading.ts";
import type { Finding } from "../../rule.ts";
import { ofKind } from "../select.ts";

/** Names a declaration across the application. */
export function keyOf({ module, variable }: DeclarationKey): string {
  return `${module}#${variable}`;
}

/** Every consumer of one kind whose source another one has claimed before. */
export function* secondClaims(
  { packages }: AppRead,
  kind: "worker" | "runner",
  explain: (first: AnyConsumerRead, second: AnyConsumerRead) => Pick<Finding, "message" | "hint">,
): Iterable<Finding> {
  const firsts = new Map<string, AnyConsumerRead>();
  const all = packages.flatMap((part): AnyConsumerRead[] => ofKind(part, kind));
  for (const read of all.toSorted((a, b) => inSourceOrder(a.at, b.at))) {
    if (read.source.kind === "wrong") continue;
    const key = keyOf(read.source);
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
