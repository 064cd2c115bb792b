import { counted } from "../../lib/counted.ts";
import type { App } from "../../model/app.ts";
import { checkData, type DataReport } from "../../platform/local/check/check.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { appRoot } from "../app-root.ts";
import type { IO } from "../io.ts";
import { readModel } from "../../topology/built-model.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { localPlaceOf, type LocalPlace } from "./local-or-deployed.ts";
import { typeCheckOf } from "./type-check.ts";
import { refuseDatabaseMark } from "./database-mark.ts";
import { dataDirectory, type DataOptions } from "./options.ts";
import { refusalOf } from "./open.ts";

/** Checks an application's data, or another directory. Returns the report and the lines to print. */
export async function runDataCheck(
  options: DataOptions,
  io: IO,
): Promise<{ readonly report: DataReport; readonly lines: readonly string[] }> {
  const app = options.data === undefined ? appRoot(io.cwd) : undefined;
  refuseDatabaseMark(dataDirectory(options, io), "fw check-data looks at data in a directory");
  try {
    const place = await localPlaceOf(options, io);
    if (place.copyOf !== undefined) await copyIfNew(place.copyOf, place.directory);
    const model = await knownModel(place);
    const report = await checkData(place.directory, model && typeCheckOf(model));
    const { problems, notes, counts } = report;
    const rows = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
    const verdict = problems.length === 0 ? "no damage found" : counted(problems.length, "problem");
    return { report: report, lines: [...problems, ...notes, [...rows, verdict].join(", ")] };
  } catch (error) {
    throw refusalOf(error, app);
  }
}

/** The application of the data, if something says which; its source may have problems. */
async function knownModel({ directory, root, source }: LocalPlace): Promise<App | undefined> {
  const model = root === undefined ? readModel(servicesDirectory(directory)) : undefined;
  const readable = root ?? source;
  if (model !== undefined || readable === undefined) return model?.app;
  const { analyze } = await import("../checked-app.ts");
  return (await analyze(readable)).app;
}
