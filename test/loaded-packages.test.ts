import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const dist = fileURLToPath(new URL("../packages/fw/dist/", import.meta.url));

/** Reads every compiled file in a directory and below. */
function filesIn(directory: string): readonly string[] {
  const names = readdirSync(join(dist, directory), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".js")).map((name) => readFileSync(join(dist, directory, name), "utf8"));
}

/** Returns the packages that the files of a directory import, statically or dynamically, without Node's own modules. */
function packagesOf(directory: string): readonly string[] {
  const specifiers = filesIn(directory).flatMap((text) =>
    [...text.matchAll(/^(?:import|export) .*?"([^."][^"]*)";$/gm)].map(([, specifier = ""]) => specifier),
  );
  return [...new Set(specifiers)].filter((each) => !each.startsWith("node:")).toSorted();
}

/** Returns the single-line doc comments of at least 20 characters in a directory's compiled files. */
function commentsIn(directory: string): readonly string[] {
  return filesIn(directory).flatMap((text) => text.match(/\/\*\* .{20,} \*\/$/gm) ?? []);
}

test("only commands that build load the bundler", () => {
  expect(packagesOf("bundled").filter((each) => each.startsWith("rolldown"))).toEqual(["rolldown", "rolldown/filter"]);
});

test("processes that run applications or their tests load no bundler", () => {
  expect(packagesOf("running").filter((each) => each.startsWith("rolldown"))).toEqual([]);
});

test("the bundles contain no comments that document fw's own functions", () => {
  const comments = commentsIn("analysis");
  expect(comments.length).toBeGreaterThan(500);
  const bundledComments = new Set([...commentsIn("bundled"), ...commentsIn("running")]);
  expect(comments.filter((comment) => bundledComments.has(comment))).toEqual([]);
});
