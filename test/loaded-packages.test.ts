import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const dist = fileURLToPath(new URL("../packages/fw/dist/", import.meta.url));

/** Returns the packages that the files of a directory import, at their start or later, without Node's own modules. */
function packagesOf(directory: string): readonly string[] {
  const files = readdirSync(join(dist, directory)).filter((name) => name.endsWith(".js"));
  const specifiers = files.flatMap((file) => {
    const text = readFileSync(join(dist, directory, file), "utf8");
    return [...text.matchAll(/^(?:import|export) .*?"([^."][^"]*)";$/gm)].map(([, specifier = ""]) => specifier);
  });
  return [...new Set(specifiers)].filter((each) => !each.startsWith("node:")).toSorted();
}

test("only commands that build load the bundler", () => {
  expect(packagesOf("bundled").filter((each) => each.startsWith("rolldown"))).toEqual(["rolldown", "rolldown/filter"]);
});

test("processes that run applications or their tests load no bundler", () => {
  expect(packagesOf("running").filter((each) => each.startsWith("rolldown"))).toEqual([]);
});
