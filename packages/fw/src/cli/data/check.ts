import { join, resolve } from "node:path";
import { checkData } from "../../platform/local/check/check.ts";
import { refusalOf } from "./open.ts";

/** What a look at the data of an application, or in another directory, comes to: how many problems, and what to print. */
export async function lookAtData(
  given: string | undefined,
  root: () => string,
  cwd: string,
): Promise<{ readonly problems: number; readonly lines: readonly string[] }> {
  const app = given === undefined ? root() : undefined;
  const directory = app === undefined ? resolve(cwd, given ?? "") : join(app, ".fw", "data");
  try {
    const { problems, notes, counts } = await checkData(directory);
    const rows = Object.entries(counts).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`);
    const found =
      problems.length === 0 ? "nothing is wrong" : problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    return { problems: problems.length, lines: [...problems, ...notes, [...rows, found].join(", ")] };
  } catch (error) {
    throw refusalOf(error, app);
  }
}
