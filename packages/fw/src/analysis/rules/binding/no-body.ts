import { listOf } from "../../../lib/suggest.ts";
import type { Route } from "../../../model/route.ts";
import type { Intent } from "../../fixes/intent.ts";
import type { Finding } from "../../rule.ts";
import type { UntaggedField } from "../../shape/request-fields.ts";

/** One finding for all unmarked fields of a request that can have none, at the first of them. */
export function* untaggedFinding(
  fields: readonly UntaggedField[],
  why: string,
  hint: string,
  marked?: { readonly marker: "Query"; readonly route: Route | undefined },
): Iterable<Finding> {
  const [first, ...more] = fields.filter(({ blob }) => !blob);
  if (!first) return;
  const names = firstNames([first, ...more]);
  const rest = more.length >= named ? " and more" : "";
  const fix = marked && marking([first, ...more], marked);
  const message = `${names}${rest} would be read from a JSON body, which ${why}`;
  yield { at: first.at, message, hint, ...(fix ? { fix } : {}) };
}

/** What the route has a parameter for is not for the marker. */
function marking(
  fields: readonly UntaggedField[],
  { marker, route }: { readonly marker: "Query"; readonly route: Route | undefined },
): Intent | undefined {
  const params = new Set(route?.segments.map((segment) => ("param" in segment ? segment.param : undefined)));
  const others = fields.filter(({ name }) => !params.has(name));
  return others.length === 0 ? undefined : { kind: "mark", fields: others.map(({ at }) => at), marker };
}

/** Fields that a message names. */
const named = 3;

/** The names of the first of some fields, as a message has them. */
export function firstNames(fields: readonly UntaggedField[]): string {
  return listOf(
    fields.slice(0, named).map(({ name }) => name),
    "and",
  );
}
