import { join } from "node:path";
import { entriesOf } from "../analysis/source/files.ts";
import { dependsOnFw } from "./app-root.ts";
import { Refusal } from "./command.ts";

/** The maximum depth of the search for other applications. */
const maxDepth = 3;

/** Explains that nothing is declared. A directory with its own package.json is a separate application. */
export function nothingDeclared(root: string): Refusal {
  const [first, ...others] = applicationsBelow(root, "", maxDepth);
  if (first !== undefined) {
    const more = others.length === 0 ? "" : `, or in ${others.slice(0, 5).join(", ")}${others.length > 5 ? " …" : ""}`;
    return new Refusal(
      `nothing is declared in ${root}; a directory with its own package.json is a separate application: add "-C ${first}"${more}`,
    );
  }
  return new Refusal(`nothing is declared below ${root}: an application exports at least one declaration, such as
  import { API } from "fw";
  export const hello = API("GET /", () => ({ hello: "world" }));`);
}

function applicationsBelow(root: string, dir: string, depth: number): string[] {
  const entries = entriesOf(join(root, dir));
  if (dir !== "" && entries.some(({ name }) => name === "package.json")) {
    return dependsOnFw(join(root, dir)) ? [dir] : [];
  }
  if (depth === 0) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name))
    .flatMap(({ name }) => applicationsBelow(root, dir === "" ? name : `${dir}/${name}`, depth - 1))
    .toSorted();
}
