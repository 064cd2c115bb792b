import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openServed } from "./testing/served.ts";
import type { Served } from "./testing/served.ts";

const built = fileURLToPath(new URL("../../../dist", import.meta.url));
const child = fileURLToPath(new URL("testing/child.mjs", import.meta.url));

async function serve(): Promise<Served> {
  const server = await openServed({ kinds: [{ kind: "item", properties: [], composites: [] }], buckets: ["photos"] });
  onTestFinished(() => server.dispose());
  return server;
}

function start({ url, token }: Served, service: string, task: string): ChildProcess {
  return fork(child, [built, url, token(service), task]);
}

function messageFrom(process: ChildProcess, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.on("message", (message) => message === what && resolve());
    process.on("exit", (code) => reject(new Error(`the process ended with ${code} before it was ${what}`)));
  });
}

test("a process killed in the middle of a transaction leaves nothing of it", async () => {
  const server = await serve();
  await server.local.entities.insert({ kind: "item", id: "x" }, { a: 0 });
  const process = start(server, "web", "transaction");
  await messageFrom(process, "done");
  process.kill("SIGKILL");
  await new Promise((resolve) => process.once("close", resolve));
  expect((await server.local.entities.get({ kind: "item", id: "x" }))?.fields).toEqual({ a: 0 });
  await server.client.entities.update({ kind: "item", id: "x" }, { a: 2 });
  expect(server.logged).toEqual([]);
});

test("a process killed in the middle of an upload leaves no object and no file", async () => {
  const server = await serve();
  const files = (): Promise<string[]> => readdir(join(server.directory, "objects"));
  const process = start(server, "web", "upload");
  await messageFrom(process, "halfway");
  await expect.poll(files).toHaveLength(1);
  process.kill("SIGKILL");
  await expect.poll(files).toEqual([]);
  expect(await server.local.objects.find("photos", "x")).toBeUndefined();
  expect(server.logged).toEqual([]);
});

test("1,000 concurrent increments from two processes are exact", async () => {
  const server = await serve();
  await server.local.entities.insert({ kind: "item", id: "x" }, { a: 0 });
  await Promise.all(["web", "mail"].map((service) => messageFrom(start(server, service, "increments"), "done")));
  expect((await server.local.entities.get({ kind: "item", id: "x" }))?.fields).toEqual({ a: 1000 });
});
