import { beforeEach, expect, test } from "vitest";
import { descendants, endAtOnce } from "./support/processes.ts";
import type { WrittenApp } from "../packages/fw/src/analysis/testing/app.ts";
import { writeTypedApp } from "../packages/fw/src/analysis/testing/typed-app.ts";
import { openChecker } from "../packages/fw/src/analysis/checker/checker.ts";
import { keepServers } from "../packages/fw/src/analysis/checker/kept-servers.ts";

keepServers();

const servers = (): readonly number[] => descendants(process.pid, /--api/);

async function endServers(): Promise<void> {
  endAtOnce(servers());
  await expect.poll(servers).toEqual([]);
}

// Ends the servers that other test files in this process have kept.
beforeEach(endServers);

/** Opens and closes the application, and returns the messages of its type errors. */
async function errorsOf(app: WrittenApp): Promise<readonly string[]> {
  const checker = openChecker(app.root);
  try {
    return (await checker.diagnostics()).map(({ message }) => message);
  } finally {
    await checker.close();
  }
}

const notNumber = "Type 'string' is not assignable to type 'number'";
const notString = "Type 'number' is not assignable to type 'string'";

test("an application on the server of a closed one has its own files and settings", async () => {
  await using one = await writeTypedApp(`-- a/a.ts --\nexport const a: number = "a";\n`);
  await using other = await writeTypedApp(`-- a/b.ts --\nexport const b: string = 1;\nexport const c: string = null;
-- tsconfig.json --\n{ "compilerOptions": { "strict": false, "types": [] } }\n`);
  expect(await errorsOf(one)).toEqual([notNumber]);
  const before = servers();
  expect(before).toHaveLength(1);
  expect(await errorsOf(other)).toEqual([notString]);
  expect(servers()).toEqual(before);
});

test("an application that is opened again has the files of today, on the same server", async () => {
  await using app = await writeTypedApp(`-- a/a.ts --\nexport const a: number = "a";
-- a/b.ts --\nexport const b = 1;\n`);
  expect(await errorsOf(app)).toEqual([notNumber]);
  const before = servers();
  await app.remove("a/b.ts");
  await app.write("a/a.ts", "export const a: number = 1;\n");
  await app.write("b/b.ts", "export const b: string = 1;\n");
  expect(await errorsOf(app)).toEqual([notString]);
  await app.write("a/a.ts", `import { b } from "../b/b.ts";\nexport const a: number = b;\n`);
  expect(await errorsOf(app)).toEqual([notNumber, notString]);
  await app.remove("b/b.ts");
  expect(await errorsOf(app)).toEqual([expect.stringContaining("Cannot find module '../b/b.ts'")]);
  expect(servers()).toEqual(before);
});

test("an application that is opened again after another, or with other settings, has a new server", async () => {
  await using app = await writeTypedApp(`-- a/a.ts --\nexport const a: string = null;\n`);
  await using other = await writeTypedApp(`-- a/a.ts --\nexport const a = 1;\n`);
  expect(await errorsOf(app)).toEqual(["Type 'null' is not assignable to type 'string'"]);
  await app.write("tsconfig.json", `{ "compilerOptions": { "strict": false, "types": [] } }`);
  expect(await errorsOf(app)).toEqual([]);
  expect(servers()).toHaveLength(2);
  expect(await errorsOf(other)).toEqual([]);
  expect(await errorsOf(other)).toEqual([]);
  expect(servers()).toHaveLength(2);
});

test("two applications that are open at once have a server each", async () => {
  await using one = await writeTypedApp(`-- a/a.ts --\nexport const a: number = "a";\n`);
  await using other = await writeTypedApp(`-- a/a.ts --\nexport const a: string = 1;\n`);
  const [first, second] = [openChecker(one.root), openChecker(other.root)];
  const errors = await Promise.all([first, second].map(async (checker) => checker.diagnostics()));
  expect(errors.map((list) => list.map(({ message }) => message))).toEqual([[notNumber], [notString]]);
  expect(servers()).toHaveLength(2);
  await Promise.all([first.close(), second.close()]);
});

test("a server that has died is not used again", async () => {
  await using one = await writeTypedApp(`-- a/a.ts --\nexport const a: number = "a";\n`);
  await using other = await writeTypedApp(`-- a/a.ts --\nexport const a: string = 1;\n`);
  expect(await errorsOf(one)).toEqual([notNumber]);
  await endServers();
  expect(await errorsOf(other)).toEqual([notString]);
});
