import { existsSync } from "node:fs";
import { counted } from "../../lib/counted.ts";
import { deadMessages } from "../../lib/limits.ts";
import { namesOf } from "../../lib/names.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { TypeCheck } from "../../platform/local/check/types.ts";
import type { HeldMessages } from "../../platform/messages.ts";
import { documentsOf } from "../../platform/transfer/lists.ts";
import { askStatus, waitingLines } from "./status.ts";
import { answeringServer } from "../run/server.ts";
import type { App } from "../../model/app.ts";
import { checkData, type DataReport } from "../../platform/local/check/check.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { appRoot } from "../app-root.ts";
import type { IO } from "../io.ts";
import { readModel } from "../../topology/built-model.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { isDeployed, placeOf, withData, type DataPlace, type LocalPlace } from "./local-or-deployed.ts";
import { typeCheckOf } from "./type-check.ts";
import { databaseMark, refuseDatabaseMark } from "./database-mark.ts";
import type { PlaceOptions } from "./options.ts";
import { refusalOf } from "./open.ts";
import { withReferenceCheck, type ReferenceCheck } from "./reference-check.ts";

interface CheckedData {
  readonly report: DataReport;
  readonly lines: readonly string[];
}

/** Checks the data of an application, of another directory, of a database, or of a deployed application. */
export async function runDataCheck(options: PlaceOptions, io: IO): Promise<CheckedData> {
  const app = options.data === undefined ? appRoot(io.cwd) : undefined;
  const target = await placeOf(options, io);
  if (isDeployed(target) || isServedDatabase(target)) return checkTypes(target);
  refuseDatabaseMark(target.directory, "start fw serve with --database here first; fw check-data works through it");
  try {
    if (target.copyOf !== undefined) await copyIfNew(target.copyOf, target.directory);
    const model = await knownModel(target);
    const report =
      model === undefined
        ? await checkData(target.directory)
        : await withReferenceCheck(model, async (references) =>
            withOrphans(await checkData(target.directory, references.around(typeCheckOf(model))), references),
          );
    return withLines(report, "no damage found");
  } catch (error) {
    throw refusalOf(error, app);
  }
}

/**
 * Checks a deployed application or a database: the types of documents, references between documents, and messages that
 * wait because they do not fit their types.
 */
async function checkTypes(place: DataPlace): Promise<CheckedData> {
  return withData(place, ({ app, platform, heldMessages }) =>
    withReferenceCheck(app, async (references) => {
      const types = references.around(typeCheckOf(app));
      const problems: string[] = [];
      let documents = 0;
      for (const kind of namesOf(allOfKind(app.packages, "entity")))
        for await (const { id, fields } of documentsOf(platform, kind)) {
          documents++;
          problems.push(...asList(types.document(kind, id, fields)));
        }
      if (isDeployed(place)) problems.push(...(await messageProblems(types, heldMessages)));
      else problems.push(...(await waitingMessages(place)));
      const report = { problems, notes: types.notes(), counts: { documents } };
      return withLines(withOrphans(report, references), "everything fits its type");
    }),
  );
}

/**
 * Finds waiting messages of a deployed application that do not match the running types or this version's types. Looks
 * only at the first `deadMessages` dead messages.
 */
async function messageProblems(types: TypeCheck, heldMessages: HeldMessages | undefined): Promise<readonly string[]> {
  const messages = ((await heldMessages?.dead({ limit: deadMessages })) ?? []).filter(({ waits }) => waits === true);
  return messages.flatMap(({ id, destination, body }) =>
    asList(types.message(`${destination.kind}:${destination.name}`, body)).map(
      (problem) => `the message ${id}: ${problem}`,
    ),
  );
}

/** Returns lines with the numbers of messages that wait because they do not match the types of the running server. */
async function waitingMessages(place: LocalPlace): Promise<readonly string[]> {
  const server = await answeringServer(place);
  return server === undefined ? [] : waitingLines((await askStatus(server)).waiting);
}

function withOrphans(report: DataReport, references: ReferenceCheck): DataReport {
  const { problems, notes } = references.report();
  return { ...report, problems: [...report.problems, ...problems], notes: [...report.notes, ...notes] };
}

function asList<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

function isServedDatabase({ directory, serving }: LocalPlace): boolean {
  return serving !== undefined && existsSync(databaseMark(directory));
}

function withLines(report: DataReport, verdict: string): CheckedData {
  const { problems, notes, counts } = report;
  const rows = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
  const result = problems.length === 0 ? verdict : counted(problems.length, "problem");
  return { report, lines: [...problems, ...notes, [...rows, result].join(", ")] };
}

/** Finds the application that owns the data, if it is known. Its source may have problems. */
async function knownModel({ directory, root, source }: LocalPlace): Promise<App | undefined> {
  const model = root === undefined ? readModel(servicesDirectory(directory)) : undefined;
  const readable = root ?? source;
  if (model !== undefined || readable === undefined) return model?.app;
  const { analyze } = await import("../checked-app.ts");
  return (await analyze(readable)).app;
}
