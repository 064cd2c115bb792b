import { listOf } from "../../../lib/suggest.ts";
import type { Route } from "../../../model/route.ts";
import type { Intent } from "../../fixes/intent.ts";
import type { Finding } from "../../rule.ts";
import type { UntaggedField } from "../../shape/request-fields.ts";

/** Reports the unmarked fields, except files, of a request without a body in one finding at the first field. */
export function* untaggedFinding(
  fields: readonly UntaggedField[],
  why: string,
  hint: string,
  markWith?: { readonly marker: "Query"; readonly route: Route | undefined },
): Iterable<Finding> {
  const [first, ...more] = fields.filter(({ blob }) => !blob);
  if (!first) return;
  const names = firstNames([first, ...more]);
  const rest = more.length >= mostNames ? " and more" : "";
  const fix = markWith && markIntent([first, ...more], markWith);
  const message = `${names}${rest} would be read from a JSON body, which ${why}`;
  yield { at: first.at, message, hint, ...(fix ? { fix } : {}) };
}

/** Proposes to mark the fields that share no name with a route parameter. */
function markIntent(
  fields: readonly UntaggedField[],
  { marker, route }: { readonly marker: "Query"; readonly route: Route | undefined },
): Intent | undefined {
  const params = new Set(route?.segments.map((segment) => ("param" in segment ? segment.param : undefined)));
  const others = fields.filter(({ name }) => !params.has(name));
  return others.length === 0 ? undefined : { kind: "mark", fields: others.map(({ at }) => at), marker };
}

/** The maximum number of fields that a message names. */
const mostNames = 3;

export function firstNames(fields: readonly UntaggedField[]): string {
  return listOf(
    fields.slice(0, mostNames).map(({ name }) => name),
    "and",
  );
}
