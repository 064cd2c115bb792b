import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { optimizationFlags, returnMemory } from "./tune-process.ts";

const compiled = new URL("../../dist/cli/tune-process.js", import.meta.url).href;

test("growYoungGeneration(1) keeps the size of the space for new objects", () => {
  expect(spaceAfter("")).toBeGreaterThan(8);
  expect(spaceAfter(`(await import(${JSON.stringify(compiled)})).growYoungGeneration(1);`)).toBeLessThan(8);
});

/** Returns the megabytes of a process's young generation after the process has created a million surviving objects. */
function spaceAfter(first: string): number {
  const script = `${first}
import { getHeapSpaceStatistics } from "node:v8";
const kept = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
const room = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
process.stdout.write(String(kept.length && room.space_size / 2 ** 20));`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}

test("returnMemory keeps a value of the environment", () => {
  const [unset, set]: [NodeJS.ProcessEnv, NodeJS.ProcessEnv] = [{}, { MIMALLOC_PURGE_DELAY: "50" }];
  returnMemory(unset);
  returnMemory(set);
  expect(unset).toEqual({ MIMALLOC_PURGE_DELAY: "0" });
  expect(set).toEqual({ MIMALLOC_PURGE_DELAY: "50" });
});

test("the usual moment of optimization is the engine's own", () => {
  const flag = optimizationFlags[process.versions.node.split(".")[0] ?? ""];
  const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  expect(options).toContain(`default: ${flag?.name}=${flag?.usual}\n`);
});
