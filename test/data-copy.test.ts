import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { hasPostgres, startServer } from "../packages/fw/src/platform/postgres/testing/server.ts";
import { bin, build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";

const files = `
-- notes/notes.ts --
import { API, Entity } from "fw";
import type { ID, Path } from "fw";
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
export const put = API("POST /notes", (ctx, { id, text }: { id: string; text: string }) => notes.put(ctx, { id, text }));
export const drop = API("DELETE /notes/{id}", (ctx, { id }: { id: Path }) => notes.delete(ctx, id));
export const get = API("GET /notes/{id}", (ctx, { id }: { id: Path }) => notes.get(ctx, id));
`;

describe("fw data copy", { skip: !hasPostgres() }, () => {
  test("moves an application from a directory to PostgreSQL while it serves, but for the last run", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-move-"));
    const root = writeApplication(Object.fromEntries(filesOf(files)));
    onTestFinished(() => {
      for (const each of [directory, root]) rmSync(each, { recursive: true, force: true, maxRetries: 10 });
    });
    const [server] = await Promise.all([startServer(), build(root)]);
    onTestFinished(() => server.stop());
    const [data, database] = [join(directory, "data"), server.address("moved")];
    const copy = async (...options: readonly string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [bin, "data", "copy", data, database, ...options], { cwd: root }))
        .stdout;
    const put = async (url: string, id: string, text: string): Promise<number> => {
      const request = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id, text }),
      };
      return (await fetch(`${url}/notes`, request)).status;
    };

    const old = await startServe(["--data", data], { cwd: root });
    onTestFinished(() => old[Symbol.asyncDispose]());
    for (const id of ["kept", "changed", "dropped"]) expect(await put(old.url, id, "first")).toBe(200);
    expect(await copy()).toBe("3 documents, 0 objects and 0 accounts: 3 written, 0 deleted\n");
    expect(await put(old.url, "changed", "second")).toBe(200);
    expect((await fetch(`${old.url}/notes/dropped`, { method: "DELETE" })).ok).toBe(true);
    await expect(copy("--final")).rejects.toThrow("stop it first");
    expect(await old.end()).toBe(0);
    const last = await copy("--final");
    expect(last).toContain("2 documents, 0 objects and 0 accounts: 1 written, 1 deleted\n");
    expect(last).toContain("both stores have the same data; the copy is complete\n");

    await using machine = await startServe(["--data", join(directory, "machine"), "--drain", "0"], {
      cwd: root,
      env: { FW_DATABASE: database },
    });
    const text = async (id: string): Promise<unknown> => (await fetch(`${machine.url}/notes/${id}`)).json();
    expect([await text("kept"), await text("changed")]).toMatchObject([{ text: "first" }, { text: "second" }]);
    expect((await fetch(`${machine.url}/notes/dropped`)).status).toBe(404);
  });
});
