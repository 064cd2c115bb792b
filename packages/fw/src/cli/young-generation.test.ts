import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const compiled = new URL("../../dist/cli/young-generation.js", import.meta.url).href;

test("the room for new objects can be held where it is", () => {
  expect(roomAfter("")).toBeGreaterThan(8);
  expect(roomAfter(`(await import(${JSON.stringify(compiled)})).growYoungGeneration(1);`)).toBeLessThan(8);
});

/** Its megabytes in a process that makes a million objects which stay. */
function roomAfter(first: string): number {
  const script = `${first}
import { getHeapSpaceStatistics } from "node:v8";
const kept = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
const room = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
process.stdout.write(String(kept.length && room.space_size / 2 ** 20));`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}
