import { listOf, nearest } from "../../lib/suggest.ts";
import type { App } from "../../model/app.ts";
import { analyze } from "../check/diagnose.ts";
import { Refusal } from "../command.ts";

/** Refuses a name that the application does not declare, with those that it does. */
export async function requireDeclared(root: string, kind: "cron" | "job", name: string): Promise<void> {
  const { app } = await analyze(root);
  const names = namesOf(app, kind).toSorted();
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const known = names.length === 0 ? `the application declares no ${kind}` : `the ${kind}s are ${listOf(names, "and")}`;
  throw new Refusal(
    `there is no ${kind} "${name}": ${known}${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
  );
}

function namesOf({ packages }: App, kind: "cron" | "job"): readonly string[] {
  if (kind === "cron") return packages.flatMap(({ crons = [] }) => crons.map(({ name }) => name));
  const jobs = packages.flatMap(({ destinations = [] }) =>
    destinations.filter((destination) => destination.kind === "job"),
  );
  return jobs.map(({ name }) => name);
}
