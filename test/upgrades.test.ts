import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { readSchema } from "../packages/fw/src/evolution/recorded.ts";
import { build } from "./support/build.ts";
import { startDev, writeApplication, writeFiles } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";
import { devOptions } from "./support/topologies.ts";

/**
 * Returns a service with a worker and notes. The second version renames the worker and makes the notes' texts unique.
 */
function post({ worker, text }: { readonly worker: string; readonly text: string }): string {
  return `import { API, Entity, Queue, Worker, type ID, type Unique } from "fw";
export const done = Entity<{ id: ID; what: string }>("done");
export const all = API("GET /done", async (ctx) => (await done.query().all(ctx)).map(({ what }) => what).sort());
export const letters = Queue<{ to: string }>("letters");
export const ${worker} = Worker(letters, (ctx, { to }) => done.create(ctx, { what: "letter to " + to }).then(() => {}));
export const send = API("POST /letters", async (ctx, { to }: { to: string }) => ({ id: await letters.send(ctx, { to }) }));
export const notes = Entity<{ id: ID; text: ${text} }>("notes");
export const note = API("POST /notes", async (ctx, { text }: { text: string }) => ({ id: (await notes.create(ctx, { text })).id }));
`;
}

const first = post({ worker: "bring", text: "string" });
const second = post({ worker: "carry", text: "Unique<string>" });
const broken = `throw new Error("the axle broke");\n`;

async function put(url: string, path: string, body: unknown): Promise<number> {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

/** Expects the first version: its worker gets messages, and two notes may have the same text. */
async function expectFirst(url: string, to: string): Promise<void> {
  expect([await put(url, "/notes", { text: to }), await put(url, "/notes", { text: to })]).toEqual([200, 200]);
  await expectDelivered(url, to);
}

/** Expects the second version: its worker gets messages, and a second note must have another text. */
async function expectSecond(url: string, to: string): Promise<void> {
  expect([await put(url, "/notes", { text: to }), await put(url, "/notes", { text: to })]).toEqual([200, 409]);
  await expectDelivered(url, to);
}

async function expectDelivered(url: string, to: string): Promise<void> {
  expect(await put(url, "/letters", { to })).toBe(200);
  await expect.poll(async () => (await fetch(`${url}/done`)).json()).toContain(`letter to ${to}`);
}

test("fw serve: a build that does not start, or cannot run next to the running one, leaves everything as it is", async () => {
  const root = writeApplication({ "post/post.ts": first });
  const data = mkdtempSync(join(tmpdir(), "fw-upgrades-"));
  // Outside the application, because each analysis would otherwise read the scripts of the release.
  const releases = mkdtempSync(join(tmpdir(), "fw-releases-"));
  onTestFinished(() => [root, data, releases].forEach((path) => rmSync(path, { recursive: true })));
  const release = join(releases, "release");
  const use = async (source: string, change?: (directory: string) => void): Promise<void> => {
    writeFiles(root, { "post/post.ts": source });
    await build(root);
    cpSync(join(root, ".fw/build"), `${release}.new`, { recursive: true });
    change?.(`${release}.new`);
    rmSync(release, { recursive: true, force: true });
    renameSync(`${release}.new`, release);
  };
  const breakAll = (directory: string): void => {
    for (const name of readdirSync(join(directory, "services")))
      writeFileSync(join(directory, "services", name, "main.js"), broken);
  };
  await use(first);
  const uniqueFields = (): readonly string[] | undefined =>
    readSchema(join(data, "services"))
      ?.entities["notes"]?.indexed.filter(({ unique }) => unique)
      .map(({ name }) => name);
  await using server = await startServe([release, "--data", data], { cwd: tmpdir() });
  await expectFirst(server.url, "ada");
  expect(uniqueFields()).toEqual([]);
  await use(second, breakAll);
  server.child.kill("SIGHUP");
  await server.printed("the previous version keeps running");
  await expectFirst(server.url, "bob");
  await use(second, (directory) => writeFileSync(join(directory, "services/post-carry/main.js"), broken));
  const from = server.output().length;
  server.child.kill("SIGHUP");
  await server.printed("the previous version keeps running", from);
  await expectFirst(server.url, "cy");
  expect(uniqueFields()).toEqual([]);
  expect((await fw(root, "check", "--against", data)).out).toContain("fw/evolve-index");
  await use(second);
  server.child.kill("SIGHUP");
  await server.printed('"message":"upgraded"');
  await expectSecond(server.url, "dot");
  await expect.poll(uniqueFields).toEqual(["text"]);
  expect((await fw(root, "check", "--against", data)).out).not.toContain("fw/evolve-");

  // The running version cannot read data that the next one writes under a new field name, until there is a rule for it.
  const renamed = second.replaceAll("what", "said").replace(`("done")`, `("done", { renamed: { said: "what" } })`);
  const before = server.output().length;
  await use(renamed);
  server.child.kill("SIGHUP");
  await server.printed("the previous version keeps running", before);
  expect(server.output().slice(before)).toContain('the old version cannot read new documents of \\"done\\" at what');
  expect(server.output().slice(before)).toContain("start it with this build, so that only one version runs");
  await expectDelivered(server.url, "eve");
  for (const source of [second.replace(`("done")`, `("done", { renamed: { what: "said" } })`), renamed]) {
    const from = server.output().length;
    await use(source);
    server.child.kill("SIGHUP");
    await server.printed('"message":"upgraded"', from);
  }
  expect(await fw(root, "status", "--data", data)).toEqual({
    code: 0,
    out: "all data is up to date with the running code\n",
    err: "",
  });
  await expectDelivered(server.url, "fay");
  expect(await (await fetch(`${server.url}/done`)).json()).toEqual(
    ["ada", "bob", "cy", "dot", "eve", "fay"].map((to) => `letter to ${to}`),
  );

  // A version that cannot read the stored data does not start either, unless the operator accepts it.
  const delayed = `export const later = API("POST /later", (ctx) => letters.send(ctx, { to: "gus" }, { delay: "1h" }));\n`;
  await use(second + delayed);
  const upgrade = server.output().length;
  server.child.kill("SIGHUP");
  await server.printed("the previous version keeps running", upgrade);
  expect(server.output().slice(upgrade)).toContain("start it with this build and --accept-data-changes");
  await server.end();
  await expect(startServe([release, "--data", data], { cwd: tmpdir() })).rejects.toThrow(
    'documents of "done" do not fit the new type at what',
  );
  await using accepted = await startServe([release, "--data", data, "--accept-data-changes"], { cwd: tmpdir() });
  expect(accepted.lines("do not fit the new type at what")).toMatchObject([{ severity: "WARNING" }]);
  expect((await fetch(`${accepted.url}/done`)).status).toBe(500);

  // A version without a queue is refused if messages are waiting in it.
  expect(await put(accepted.url, "/later", {})).toBe(200);
  await accepted.end();
  await use(second.replace(`Queue<{ to: string }>("letters")`, `Queue<{ to: string }>("parcels")`));
  await expect(startServe([release, "--data", data], { cwd: tmpdir() })).rejects.toThrow(
    'queue "letters" is gone: its waiting messages stay, and no code reads them',
  );
});

test.each(devOptions)(
  "%s, a save that does not start leaves workers, unique values and indexes as they are",
  async (_how, ...args) => {
    await using dev = await startDev({ "post/post.ts": first }, ...args);
    const url = `http://127.0.0.1:${dev.port}`;
    await expectFirst(url, "ada");
    const from = dev.output().length;
    dev.write({ "post/post.ts": `${second}if (process.pid > 0) ${broken}` });
    await dev.says("the axle broke");
    await dev.says(" running", from);
    await expectFirst(url, "bob");
    dev.write({ "post/post.ts": second });
    await expect.poll(() => put(url, "/notes", { text: "ada" })).toBe(409);
    await expectSecond(url, "cy");
  },
);

/** Returns a shelf whose books have a list of tags or a single tag. A search can wait until a file exists. */
function shelf(tags: "list" | "text"): string {
  const [type, op] = tags === "list" ? ["string[]", "contains"] : ["string", "=="];
  return `import { API, Entity, type ID, type Index } from "fw";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
export const books = Entity<{ id: ID; tags: Index<${type}> }>("books");
export const shape = API("GET /shape", () => "${tags}");
export const add = API("POST /books", async (ctx, { tag }: { tag: string }) => ({
  id: (await books.create(ctx, { tags: ${tags === "list" ? "[tag]" : "tag"} })).id,
}));
export const find = API("GET /books/held", async (ctx) => {
  writeFileSync("asked", "");
  while (!existsSync("go")) await setTimeout(5);
  return (await books.query().where("tags", "${op}", "sea").all(ctx)).length;
});
`;
}

test.each(devOptions)(
  "%s, a request on old code finds all documents although a save made a list one value",
  async (_how, ...args) => {
    await using dev = await startDev({ "shelf/shelf.ts": shelf("list") }, ...args);
    const url = `http://127.0.0.1:${dev.port}`;
    for (let books = 0; books < 3; books++) expect(await put(url, "/books", { tag: "sea" })).toBe(200);
    const search = dev.get("/books/held");
    await expect.poll(() => existsSync(join(dev.root, "asked"))).toBe(true);
    dev.write({ "shelf/shelf.ts": shelf("text") });
    await dev.eventually("/shape", ({ body }) => body === `"text"`);
    writeFileSync(join(dev.root, "go"), "");
    expect(await search).toMatchObject({ status: 200, body: "3" });
  },
);
