import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe, type Served } from "./support/served.ts";

/** The result of an access that the engine refuses. */
type Denied = RegExp | string;

/** True if this Node version can restrict services to their own files. */
const isolates = Number(process.versions.node.split(".")[0]) >= 24;

/** The engines, each with the result of a forbidden access. `FW_ENGINES` adds Deno, which must be in PATH. */
const engines: readonly (readonly [engine: string, denied: Denied])[] = [
  ["node", isolates ? "ERR_ACCESS_DENIED" : "done"],
  ...(process.env["FW_ENGINES"] === undefined ? [] : [["deno", /NotCapable|not started/] as const]),
];

const files = {
  "vault/vault.ts": `import { Entity, API, type ID } from "fw";
export const coins = Entity<{ id: ID }>("coins");
export const add = API("POST /coins", (ctx) => coins.create(ctx, {}));
`,
  "thief/thief.ts": `import { API, Site } from "fw";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function attempt(work: () => unknown): Promise<{ result: string }> {
  try {
    await work();
    return { result: "done" };
  } catch (error) {
    return { result: (error as { code?: string }).code ?? String(error) };
  }
}

export const site = Site("./public");
export const read = API("POST /read", (_, { path }: { path: string }) => attempt(() => readFileSync(path)));
export const write = API("POST /write", (_, { path }: { path: string }) => attempt(() => writeFileSync(path, "")));
export const keep = API("POST /keep", () => attempt(() => writeFileSync(join(tmpdir(), "kept"), "")));
export const start = API("POST /start", () => attempt(() => {
  const { status, error } = spawnSync("true");
  // Deno reports nothing of a process that it did not start.
  if (status !== 0) throw error ?? new Error("not started");
}));
`,
  "thief/public/motto.txt": "mine\n",
};

describe.each(engines)("on %s", (engine, denied) => {
  let root: string;
  let data: string;
  let server: Served;

  beforeAll(async () => {
    root = writeApplication(files);
    data = mkdtempSync(join(tmpdir(), "fw-isolation-"));
    await build(root);
    writeFileSync(join(data, "given"), "");
    server = await startServe(
      [join(root, ".fw/build"), "--data", data, "--engine", engine, "--allow", `read=${join(data, "given")}`],
      {
        cwd: data,
      },
    );
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    for (const directory of [root, data]) rmSync(directory, { recursive: true });
  });

  async function attempt(what: string, path = ""): Promise<string> {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${server.url}/${what}`, { method: "POST", headers, body: JSON.stringify({ path }) });
    return ((await answer.json()) as { result: string }).result;
  }

  test("a service cannot read the operator's key, the data or another service's files where its engine holds it back", async () => {
    for (const path of ["serving.json", "store", "secrets", "services/model.json"]) {
      expect(existsSync(join(data, path))).toBe(true);
      expect(await attempt("read", join(data, path)), path).toMatch(denied);
    }
    expect(await attempt("read", "/proc/self/environ")).toMatch(denied);
    expect(await attempt("write", join(data, "serving.json.new"))).toMatch(denied);
    expect(await attempt("start")).toMatch(denied);
  });

  test("a service serves its files, writes temporary ones, and reads what the operator allows", async () => {
    expect(await (await fetch(`${server.url}/motto.txt`)).text()).toBe("mine\n");
    expect(await attempt("keep")).toBe("done");
    expect(await attempt("read", join(data, "given"))).toBe("done");
  });
});
