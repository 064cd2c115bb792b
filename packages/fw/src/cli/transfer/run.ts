import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { App } from "../../model/app.ts";
import { allOfKind, hasSignIn } from "../../model/declarations.ts";
import { namesOf } from "../../lib/names.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { exportData } from "../../platform/transfer/export.ts";
import { importData, type ImportResult } from "../../platform/transfer/import.ts";
import type { TransferScope } from "../../platform/transfer/record.ts";
import { seenKind } from "../../runtime/auth/kinds.ts";
import { Refusal } from "../command.ts";
import type { DataOptions } from "../data/options.ts";
import { servicesDirectory } from "../serve/release.ts";
import { modelFile, modelText, readModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { appAt, knownAppAt, localPlaceOf } from "../data/local-or-deployed.ts";
import { refuseDatabaseMark } from "../data/database-mark.ts";
import { refusalOf } from "../data/open.ts";
import type { IO } from "../io.ts";

/** What of an application is moved: sessions, messages and leases stay where they are. */
type Moved = Omit<TransferScope, "platform">;

/** Writes the data to a directory; what to print. */
export async function runExport(given: string, options: DataOptions, io: IO): Promise<string> {
  const to = resolve(io.cwd, given);
  return withData(options, io, async (app, platform) => {
    const { accounts } = platform;
    const verifierOf = accounts.verifierOf.bind(accounts);
    const source = { app: app.name, model: modelText(app, []), platform, ...movedOf(app), verifierOf };
    const { files } = await exportData(source, to);
    const rows = Object.entries(files).map(([name, { lines }]) => `${name}  ${lines}\n`);
    return `${rows.join("")}${to} has the data\n`;
  });
}

/** Writes an export into the data; what to print, and whether some of it is there already as something else. */
export async function runImport(
  given: string,
  options: DataOptions,
  io: IO,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const from = resolve(io.cwd, given);
  return withData({ ...options, otherwise: readModel(from)?.app }, io, async (app, platform) => {
    const { accounts } = platform;
    const came = await importData(from, { platform, ...movedOf(app), take: accounts.take.bind(accounts) });
    if (options.data !== undefined) await rememberApp(resolve(io.cwd, options.data), app);
    return { text: printed(came), isWhole: came.different.length === 0 };
  });
}

/** Leaves the model of the application where commands that name only the data look for it, unless there is one. */
async function rememberApp(directory: string, app: App): Promise<void> {
  const services = servicesDirectory(directory);
  if (existsSync(join(services, modelFile))) return;
  await mkdir(services, { recursive: true, mode: 0o700 });
  await writeFile(join(services, modelFile), modelText(app, []));
}

function movedOf(app: App): Moved {
  const signsIn = hasSignIn(app);
  return {
    kinds: [...namesOf(allOfKind(app.packages, "entity")), ...(signsIn ? [seenKind] : [])],
    buckets: namesOf(allOfKind(app.packages, "bucket")),
    accounts: signsIn,
  };
}

/** Nobody is told of what is imported, and no server works on the data meanwhile. */
async function withData<T>(
  options: DataOptions & { readonly otherwise?: App | undefined },
  io: IO,
  work: (app: App, platform: LocalPlatform) => Promise<T>,
): Promise<T> {
  const place = await localPlaceOf(options, io);
  refuseDatabaseMark(place.directory, "exports and imports are for data in a directory");
  if (place.serving !== undefined)
    throw new Refusal(`fw serve is working on ${place.directory}; stop it first, or restore a backup of it elsewhere`);
  if (existsSync(join(place.directory, "backup.json")))
    throw new Refusal(`${place.directory} is a backup; fw restore makes data of it, which can be exported`);
  const app = (await knownAppAt(place)) ?? options.otherwise ?? (await appAt(place));
  try {
    const platform = await openLocal(place.directory, { ...definitionsOfModel(app), consumers: [] });
    try {
      return await work(app, platform);
    } finally {
      await platform.close();
    }
  } catch (error) {
    throw refusalOf(error, place.root);
  }
}

/** Of what is there as something else, the first ones are named. */
const named = 20;

function printed({ created, unchanged, different, withoutPassword }: ImportResult): string {
  const lines = [
    `${created.documents} documents, ${created.objects} objects and ${created.accounts} accounts are new, ${unchanged} were there`,
    ...(withoutPassword > 0
      ? [`${withoutPassword} accounts had a password that could not be taken along: those people choose a new one`]
      : []),
    ...different.slice(0, named).map((name) => `${name} is there as something else, and stays so`),
    ...(different.length > named ? [`and ${different.length - named} more`] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
