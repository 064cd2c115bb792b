import { join, resolve } from "node:path";
import { checkData, type DataReport } from "../../platform/local/check/check.ts";
import { refusalOf } from "./refusal.ts";

/** What a look at the data of an application, or in another directory, comes to: what was found, and what to print. */
export async function lookAtData(
  given: string | undefined,
  root: () => string,
  cwd: string,
): Promise<{ readonly found: DataReport; readonly lines: readonly string[] }> {
  const app = given === undefined ? root() : undefined;
  const directory = app === undefined ? resolve(cwd, given ?? "") : join(app, ".fw", "data");
  try {
    const found = await checkData(directory);
    const { problems, notes, counts } = found;
    const rows = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
    const verdict =
      problems.length === 0 ? "nothing is wrong" : problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    return { found, lines: [...problems, ...notes, [...rows, verdict].join(", ")] };
  } catch (error) {
    throw refusalOf(error, app);
  }
}
