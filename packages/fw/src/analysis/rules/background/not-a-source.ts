import type { DeclarationName } from "../../../model/kinds.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { Finding } from "../../rule.ts";
import { notNamed, type Wanted } from "../not-named.ts";

interface WantedSource extends Wanted {
  /** What to do with a declaration of another kind. */
  readonly instead: Readonly<Partial<Record<DeclarationName, string>>>;
}

/** What is wrong with the first argument of a consumer; nothing where it is a source for it. */
export function* notASource({ source, at }: ParsedConsumer, wanted: WantedSource): Iterable<Finding> {
  if (source.kind !== "wrong") return;
  const { reference, declaredBy, event } = source;
  if (declaredBy === undefined) {
    yield* notNamed(reference, at, wanted);
    return;
  }
  const hint = wanted.instead[declaredBy] ?? `declare it, ${wanted.example}, and name it here`;
  const what = event === undefined ? "this is" : `"${event}" is a property of what is`;
  yield { at, message: `${what} declared by ${declaredBy}, and is not ${wanted.noun}`, hint };
}
