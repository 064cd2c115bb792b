import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOfExample } from "./support/fw.ts";

test.each(["notes", "shop", "hub", "desk", "conduit"])(
  "the own tests of %s pass in a fresh checkout by npm test, which is fw test",
  async (example) => {
    const directory = await copyOfExample(example);
    try {
      await rm(join(directory, "notes/web"), { recursive: true, force: true });
      const { code, output } = await npmTest(directory);
      expect(code, output).toBe(0);
      expect(output).toMatch(/Tests\s+[1-9]\d* passed/);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);

/** Runs `npm test` without the variables of this Vitest run. */
async function npmTest(cwd: string): Promise<{ code: unknown; output: string }> {
  const runnerVariable = /^(VITEST|NODE_OPTIONS|NODE_ENV|npm_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !runnerVariable.test(name)));
  const child = spawn("npm", ["test"], { cwd, env: { ...env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, output };
}
