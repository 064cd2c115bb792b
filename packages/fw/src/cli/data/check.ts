import { counted } from "../../lib/counted.ts";
import { checkData, type DataReport } from "../../platform/local/check/check.ts";
import { appRoot } from "../app-root.ts";
import type { IO } from "../io.ts";
import { dataDirectory, type DataOptions } from "./options.ts";
import { refusalOf } from "./open.ts";

/** What a look at the data of an application, or in another directory, comes to: what was found, and what to print. */
export async function lookAtData(
  options: DataOptions,
  io: IO,
): Promise<{ readonly found: DataReport; readonly lines: readonly string[] }> {
  const app = options.data === undefined ? appRoot(io.cwd) : undefined;
  try {
    const found = await checkData(dataDirectory(options, io));
    const { problems, notes, counts } = found;
    const rows = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
    const verdict = problems.length === 0 ? "nothing is wrong" : counted(problems.length, "problem");
    return { found, lines: [...problems, ...notes, [...rows, verdict].join(", ")] };
  } catch (error) {
    throw refusalOf(error, app);
  }
}
