import { repeats } from "../../../lib/grouped.ts";
import { declarationKey } from "../../../model/declarations.ts";
import { inSourceOrder } from "../../../model/diagnostic.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

/** A source that may have only one consumer of a kind. */
interface ConsumerLimit {
  readonly kind: "worker" | "runner";
  readonly source: string;
  readonly hint: string;
}

function oneConsumer(id: string, title: string, { kind, source, hint }: ConsumerLimit): Rule {
  return {
    id,
    title,
    *app({ packages }) {
      const all = packages.flatMap((pkg): readonly ParsedConsumer[] => ofKind(pkg, kind));
      const inOrder = all.toSorted((a, b) => inSourceOrder(a.at, b.at));
      for (const { first, again } of repeats(inOrder, sourceKey)) {
        const names = [first, again].map(({ declaration }) => `"${declaration.variable}"`);
        yield {
          at: again.at,
          message: `the ${kind}s ${names.join(" and ")} handle the same ${source}`,
          hint,
          related: [{ at: first.at, message: `${names[0]} handles it here` }],
        };
      }
    },
  };
}

function sourceKey({ source }: ParsedConsumer): string | undefined {
  return source.kind === "wrong" ? undefined : declarationKey(source);
}

export const oneWorker: Rule = oneConsumer("one-worker", "A queue has one `Worker`", {
  kind: "worker",
  source: "queue",
  hint: "keep one, or publish to a Topic: every Subscribe gets its events",
});

export const oneJobHandler: Rule = oneConsumer("one-job-handler", "A job has one `Runner`", {
  kind: "runner",
  source: "job",
  hint: "keep one, and declare another Job for the other",
});
