import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startFakeS3 } from "../packages/fake-cloud/src/s3/s3.ts";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { bytesOnDisk } from "../packages/fw/src/platform/postgres/objects/bytes.ts";
import { openPostgres } from "../packages/fw/src/platform/postgres/open.ts";
import { hasPostgres, startServer } from "../packages/fw/src/platform/postgres/testing/server.ts";
import { authKinds } from "../packages/fw/src/runtime/auth/kinds.ts";
import { bin, build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startFront } from "./support/postgres/front.ts";
import { startServe, type Served } from "./support/served.ts";

const files = `
-- notes/notes.ts --
import { API, blob, Bucket, Entity, Queue, Secret, Worker } from "fw";
import type { ID, Path } from "fw";

export const pictures = Bucket("pictures");
export const greeting = Secret("GREETING");
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
export const incoming = Queue<{ name: string }>("incoming");

export const add = API("POST /notes", async (ctx, { name }: { name: string }) => {
  await pictures.put(ctx, name, blob(greeting.value(), { type: "text/plain" }));
  await incoming.send(ctx, { name });
  return { name };
});
export const describePicture = Worker(incoming, async (ctx, { name }) => {
  const { size } = await pictures.get(ctx, name);
  await notes.put(ctx, { id: name, text: \`\${size} bytes\` });
});
export const note = API("GET /notes/{id}", (ctx, { id }: { id: Path }) => notes.get(ctx, id));
export const picture = API("GET /pictures/{name}", (ctx, { name }: { name: Path }) => pictures.get(ctx, name));
`;

interface Machine {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Machine>>;
}

describe("what fw gen compose describes", { skip: !hasPostgres() }, () => {
  test("two machines with its command and environment serve one application, and one is enough", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-hosting-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
    const root = writeApplication(Object.fromEntries(filesOf(files)));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [server] = await Promise.all([startServer(), build(root)]);
    onTestFinished(() => server.stop());
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "gen", "compose"], { cwd: root });
    const { services } = parse(stdout) as ComposeFile;
    const name = services["garage"]?.environment["GARAGE_DEFAULT_BUCKET"] ?? "";
    const store = await startFakeS3({ buckets: [name], keys: { region: "garage" } });
    onTestFinished(() => store.stop());
    // The contents of .env, with different hosts than compose's.
    const variables: Readonly<Record<string, string>> = {
      POSTGRES_PASSWORD: "secret",
      AWS_ACCESS_KEY_ID: store.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.keys.secretAccessKey,
      GREETING: "hello from .env",
    };
    const database = server.address("app");
    const resolved = (text: string): string =>
      text
        .replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, variable: string) => variables[variable] ?? `no ${variable}`)
        .replace(`postgres://${name}:secret@postgres:5432/${name}`, database)
        .replace("http://garage:3900", store.url);

    const start = async (machine: string): Promise<Served> => {
      const { command, environment } = services[machine] as Machine;
      const [node, program, serve, , ...options] = command;
      expect([node, program, serve]).toEqual(["node", "node_modules/fw/bin/fw.js", "serve"]);
      const changes: Readonly<Record<string, string>> = {
        "/data": join(directory, machine),
        "0.0.0.0": "127.0.0.1",
        "8080": "0",
        "5": "0",
        "10.87.0.0/24": "127.0.0.1",
      };
      const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, resolved(value)]));
      return startServe(
        options.map((option) => changes[option] ?? option),
        { cwd: root, env },
      );
    };
    const [first, second] = await Promise.all([start("app-1"), start("app-2")]);
    onTestFinished(async () => {
      for (const machine of [first, second]) await machine[Symbol.asyncDispose]();
    });
    const people = await openPostgres(database, { kinds: authKinds }, { bytes: bytesOnDisk(directory) });
    const ports = [first, second].map(({ url }) => Number(new URL(url).port));
    const front = await startFront(ports, people);
    onTestFinished(async () => {
      await front.close();
      await people.close();
    });
    const origin = `http://127.0.0.1:${front.port}`;
    const headers = { "content-type": "application/json" };
    for (const body of ['{"name":"one"}', '{"name":"two"}'])
      expect((await fetch(`${origin}/notes`, { method: "POST", headers, body })).status).toBe(200);
    for (const picture of ["one", "two", "one"])
      expect(await (await fetch(`${origin}/pictures/${picture}`)).text()).toBe("hello from .env");
    for (const note of ["one", "two"])
      await expect.poll(async () => (await fetch(`${origin}/notes/${note}`)).status).toBe(200);
    expect(store.bucket(name).objects.size).toBeGreaterThanOrEqual(3);

    expect(await first.end()).toBe(0);
    expect((await fetch(`${second.url}/_fw/z/ready`)).status).toBe(200);
    expect(await (await fetch(`${second.url}/pictures/two`)).text()).toBe("hello from .env");
  });
});
