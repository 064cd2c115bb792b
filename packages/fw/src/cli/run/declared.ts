import { listOf, nearest } from "../../lib/suggest.ts";
import { namesOf } from "../../lib/names.ts";
import { allOfKind } from "../../model/declarations.ts";
import { Refusal } from "../command.ts";
import { analyze } from "../sound.ts";

/** Refuses a name that the application does not declare, with those that it does. */
export async function requireDeclared(root: string, kind: "cron" | "job", name: string): Promise<void> {
  const { app } = await analyze(root);
  const names = namesOf(allOfKind(app.packages, kind));
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const known = names.length === 0 ? `the application declares no ${kind}` : `the ${kind}s are ${listOf(names, "and")}`;
  throw new Refusal(
    `there is no ${kind} "${name}": ${known}${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
  );
}
