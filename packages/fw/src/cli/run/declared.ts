import { listOf, suggestion } from "../../lib/suggest.ts";
import { namesOf } from "../../lib/names.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { Refusal } from "../command.ts";
import { appAt, type LocalPlace } from "../data/local-or-deployed.ts";

/** Refuses a name that the application does not declare, with those that it does. */
export async function requireDeclared(place: LocalPlace, kind: "cron" | "job", name: string): Promise<void> {
  requireIn(await readApp(place), kind, name);
}

/** The same of an application that was read. */
export function requireIn(app: App, kind: "cron" | "job", name: string): void {
  const names = namesOf(allOfKind(app.packages, kind));
  if (names.includes(name)) return;
  const known = names.length === 0 ? `the application declares no ${kind}` : `the ${kind}s are ${listOf(names, "and")}`;
  throw new Refusal(`there is no ${kind} "${name}": ${known}${suggestion(name, names)}`);
}

/** A dev server goes on while something is wrong with the source, and so does what is asked of it. */
async function readApp(place: LocalPlace): Promise<App> {
  if (place.root === undefined || place.serving !== undefined) return appAt(place);
  const { analyze } = await import("../sound.ts");
  return (await analyze(place.root)).app;
}

/** What is refused where a job is started without the arguments that it takes. */
export function wantsArguments(name: string): string {
  return `the job "${name}" takes arguments: write them after its name as JSON, fw run job ${name} '{ … }'`;
}
