import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { App } from "../../model/app.ts";
import { allOfKind, hasAccountPages, hasSignIn } from "../../model/declarations.ts";
import { namesOf } from "../../lib/names.ts";
import type { Definitions } from "../../platform/contract.ts";
import { withoutRules } from "../../platform/definitions.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { exportData } from "../../platform/transfer/export.ts";
import { documentsOf } from "../../platform/transfer/lists.ts";
import { importData, type ImportResult } from "../../platform/transfer/import.ts";
import type { TransferScope } from "../../platform/transfer/record.ts";
import { factorKind } from "../../runtime/auth/account/kinds.ts";
import { seenKind } from "../../runtime/auth/kinds.ts";
import { recordedSchema, schemaFile, schemaText } from "../../evolution/recorded.ts";
import { Refusal } from "../command.ts";
import type { DataOptions } from "../data/options.ts";
import { withReferenceCheck, type ReferenceReport } from "../data/reference-check.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { modelFile, modelText, readModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { appAt, knownAppAt, localPlaceOf } from "../data/local-or-deployed.ts";
import { typeCheckOf } from "../data/type-check.ts";
import { refuseDatabaseMark } from "../data/database-mark.ts";
import { refusalOf } from "../data/open.ts";
import type { IO } from "../io.ts";

/** The data that export and import move, which excludes sessions, messages and leases. */
type MovedData = Omit<TransferScope, "platform">;

/** Exports the data to a directory. Returns the text to print. */
export async function runExport(path: string, options: DataOptions, io: IO): Promise<string> {
  const to = resolve(io.cwd, path);
  return withData(options, io, async (app, platform) => {
    const { accounts } = platform;
    const verifierOf = accounts.verifierOf.bind(accounts);
    const schema = [schemaFile, schemaText(recordedSchema(app))] as const;
    const source = { app: app.name, model: modelText(app, []), schema, platform, ...transferScope(app), verifierOf };
    const { files } = await exportData(source, to);
    const rows = Object.entries(files).map(([name, { lines }]) => `${name}  ${lines}\n`);
    return `${rows.join("")}exported the data to ${to}\n`;
  });
}

/**
 * Imports an export. Returns the text to print, and true unless an item differs from an existing one or a reference
 * with an `onDelete` rule leads to a missing document.
 */
export async function runImport(
  path: string,
  options: DataOptions,
  io: IO,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const from = resolve(io.cwd, path);
  // An export may contain documents of older versions.
  const settings = { ...options, otherwise: readModel(from)?.app, definitions: withoutRules };
  return withData(settings, io, async (app, platform) => {
    const { accounts } = platform;
    const types = typeCheckOf(app);
    const imported = await importData(from, {
      platform,
      ...transferScope(app),
      take: accounts.take.bind(accounts),
      misfitOf: (kind, id, fields) => types.document(kind, id, fields),
    });
    if (options.data !== undefined) await rememberApp(resolve(io.cwd, options.data), app);
    const references = await checkReferences(app, platform);
    return {
      text: describeImport(imported, [...types.notes(), ...references.problems, ...references.notes]),
      isWhole: imported.different.length === 0 && references.problems.length === 0,
    };
  });
}

/**
 * Finds references to missing documents after an import, which writes documents in any order and therefore cannot
 * follow the rules of references.
 */
async function checkReferences(app: App, platform: LocalPlatform): Promise<ReferenceReport> {
  const entities = allOfKind(app.packages, "entity");
  if (!entities.some(({ refs = [] }) => refs.length > 0)) return { problems: [], notes: [] };
  return withReferenceCheck(app, async (check) => {
    for (const kind of namesOf(entities))
      for await (const { id, fields } of documentsOf(platform, kind)) check.read(kind, id, fields);
    return check.report();
  });
}

/** Saves the application's model in the data directory, unless it has one, for commands without the code. */
export async function rememberApp(directory: string, app: App): Promise<void> {
  const services = servicesDirectory(directory);
  if (existsSync(join(services, modelFile))) return;
  await mkdir(services, { recursive: true, mode: 0o700 });
  await writeFile(join(services, modelFile), modelText(app, []));
}

export function transferScope(app: App): MovedData {
  const signsIn = hasSignIn(app);
  // Include second factors: without them, anyone who knows the password could use an account.
  const ownKinds = [...(signsIn ? [seenKind] : []), ...(hasAccountPages(app) ? [factorKind] : [])];
  return {
    kinds: [...namesOf(allOfKind(app.packages, "entity")), ...ownKinds],
    buckets: namesOf(allOfKind(app.packages, "bucket")),
    accounts: signsIn,
  };
}

/**
 * Opens the data without its consumers, so that imports trigger nothing. Refuses backups, and data that a server uses
 * or that is in a database.
 */
async function withData<T>(
  options: DataOptions & {
    readonly otherwise?: App | undefined;
    readonly definitions?: (definitions: Definitions) => Definitions;
  },
  io: IO,
  work: (app: App, platform: LocalPlatform) => Promise<T>,
): Promise<T> {
  const place = await localPlaceOf(options, io);
  refuseDatabaseMark(place.directory, "exports and imports are for data in a directory");
  if (place.serving !== undefined)
    throw new Refusal(`fw serve is using ${place.directory}; stop it first, or restore a backup to another directory`);
  if (existsSync(join(place.directory, "backup.json")))
    throw new Refusal(`${place.directory} is a backup; restore it with fw restore, then export that data`);
  const app = (await knownAppAt(place)) ?? options.otherwise ?? (await appAt(place));
  try {
    if (place.copyOf !== undefined) await copyIfNew(place.copyOf, place.directory);
    const definitions = { ...definitionsOfModel(app), consumers: [] };
    const platform = await openLocal(place.directory, options.definitions?.(definitions) ?? definitions);
    try {
      return await work(app, platform);
    } finally {
      await platform.close();
    }
  } catch (error) {
    throw refusalOf(error, place.root);
  }
}

/** The maximum number of differing records to list in the output. */
const maxNames = 20;

function describeImport(
  { created, unchanged, different, withoutPassword }: ImportResult,
  notes: readonly string[],
): string {
  const lines = [
    `${created.documents} documents, ${created.objects} objects and ${created.accounts} accounts added; ${unchanged} already existed`,
    ...notes,
    ...(withoutPassword > 0
      ? [`${withoutPassword} accounts had a password that cannot be imported: these people must choose a new one`]
      : []),
    ...different.slice(0, maxNames).map((name) => `${name} exists with other contents and was not changed`),
    ...(different.length > maxNames ? [`and ${different.length - maxNames} more`] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
