import { listOf } from "../../../lib/suggest.ts";
import type { Finding } from "../../rule.ts";
import type { UntaggedField } from "../../shape/shape.ts";

/** One finding for all unmarked fields of a request that can have none, at the first of them. */
export function* untaggedFinding(fields: readonly UntaggedField[], why: string, hint: string): Iterable<Finding> {
  const [first, ...more] = fields.filter(({ blob }) => !blob);
  if (!first) return;
  const names = listOf(
    [first, ...more].slice(0, named).map(({ name }) => name),
    "and",
  );
  const rest = more.length >= named ? " and more" : "";
  yield { at: first.at, message: `${names}${rest} would be read from a JSON body, which ${why}`, hint };
}

/** Fields that a message names. */
const named = 3;
