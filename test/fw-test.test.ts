import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { importTest, testedApp, type TestRunner } from "./support/fw-test.ts";
import { shownFiles } from "./support/markdown.ts";

/** Exported declarations, and one that is not exported, in two modules that share a third. */
const notes = {
  "notes/api.ts": `
import { API, Auth, Entity, Errorf, Role, RequireRole, Secret } from "fw";
import type { ID, Path } from "fw";
import { seen } from "./seen.ts";
export const auth = Auth({ social: true });
export const Editor = Role("editor");
export const editors = RequireRole(Editor);
const key = Secret("FW_TEST_KEY");
interface Note { id: ID; text: string }
const notes = Entity<Note>("notes");
export interface NewNote { text: string }
export const addNote = API("POST /notes", (ctx, { text }: NewNote) => {
  if (text === "") throw Errorf(422, "text must not be empty");
  return notes.create(ctx, { text });
});
export interface NoteRef { id: Path }
export const getNote = API("GET /notes/{id}", async (ctx, { id }: NoteRef) => {
  seen.push(id);
  return notes.get(ctx, id);
}, { allow: editors });
export const readKey = API("GET /key", () => key.value().length);
`,
  "notes/seen.ts": `export const seen: string[] = [];`,
};

const tests = (runner: TestRunner): Record<string, string> => ({
  "notes/api.test.ts": `
${importTest(runner)}
import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
import { addNote, Editor, getNote, readKey } from "./api.ts";
import { seen } from "./seen.ts";

test("a note that was added is there", async () => {
  await using app = await newTestApp();
  const ann = app.signIn({ email: "ann@x.test", roles: [Editor] });
  const { id } = await addNote.call(app.ctx(), { text: "hello" });
  assert.equal((await getNote.call(app.ctx(ann), { id })).text, "hello");
  const answer = await app.fetch(\`/notes/\${id}\`, { as: ann });
  assert.deepEqual(await answer.json(), { id, text: "hello" });
  assert.deepEqual(seen, [id, id]);
});

test("only editors read notes", async () => {
  await using app = await newTestApp();
  assert.equal((await app.fetch("/notes/x")).status, 401);
  await assert.rejects(async () => getNote.call(app.ctx(app.signIn({ email: "bob@x.test" })), { id: "x" }), {
    status: 403,
    message: "this page needs the editor role",
  });
});

test("a secret has the test's value", async () => {
  await using app = await newTestApp();
  await assert.rejects(async () => readKey.call(app.ctx(), {}), /secret FW_TEST_KEY is not set/);
  app.setSecret("FW_TEST_KEY", "four");
  assert.equal(await (await app.fetch("/key")).text(), "4");
});
`,
  "notes/broken.spec.ts": `
${importTest(runner)}
import { writeFileSync } from "node:fs";
writeFileSync("ran", "");
interface Wrong { text: string }
test("this one fails", () => {
  const wrong: Wrong = { text: "the test's own words" };
  throw new Error(wrong.text);
});
`,
});

const rooms = (runner: TestRunner): Record<string, string> => ({
  "rooms/rooms.ts": `
import { Auth, Authenticator, type Connection, type Cookie, Entity, Errorf, type Header, type ID, type Int64, type MinLength, type Path, type Query, Socket } from "fw";
export const auth = Auth({ social: true });
export const partners = Entity<{ id: ID }>("partners");
export const keys = Authenticator((ctx, { key }: { key: Header<string, "X-Key"> }) => partners.find(ctx, key));
export interface Said { at: Date; many: Int64; text: string & MinLength<2> }
export interface Heard extends Said { by: string }
export interface Room { id: Path; as: Query<string[]>; token?: Header<string, "X-Token">; langs?: Header<string[], "Accept-Language">; theme?: Cookie }
export const room = Socket("GET /rooms/{id}", async (ctx, { id, as, token, langs, theme }: Room, socket: Connection<Said, Heard>) => {
  const by = [ctx.maybeUser()?.email || ctx.maybeUser()?.id, id, as, token, langs, theme].join(" ");
  for await (const { at, many, text } of socket) {
    if (text === "leave") return;
    if (text === "refuse") throw Errorf(403, "not that");
    await socket.send({ by, at: new Date(at.getTime() + 1), many: (many + 1n) as Int64, text: text.slice(1) });
  }
});
`,
  "rooms/rooms.test.ts": `
${importTest(runner)}
import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
import { partners, room } from "./rooms.ts";

const said = { at: new Date(5), many: 2n ** 60n, text: "hi" };

test("messages have their types at both ends", async () => {
  await using app = await newTestApp();
  const request = { id: "a/b", as: ["x", "y z"], token: "t", langs: ["de", "fr"], theme: "dark; bright" };
  const socket = await app.socket(room, request, { as: app.signIn({ email: "ann@x.test" }) });
  await socket.send(said);
  const heard = { by: "ann@x.test a/b x,y z t de,fr dark; bright", at: new Date(6), many: 2n ** 60n + 1n, text: "i" };
  assert.deepEqual(await socket.receive(), heard);
  await socket.send(said);
  await socket.send({ ...said, text: "leave" });
  const rest = [];
  for await (const message of socket) rest.push(message);
  assert.deepEqual(rest, [heard]);
  assert.deepEqual(await socket.closed, { code: 1000, reason: "" });
  await assert.rejects(socket.send(said), { code: 1000 });
});

test("an end that is not well is an error with its code and reason", async () => {
  await using app = await newTestApp();
  const open = () => app.client().socket(room, { id: "a", as: [] });
  for (const [text, code, reason] of [["refuse", 4403, "not that"], ["x", 1007, "message text: must be at least 2 characters"]] as const) {
    const socket = await open();
    await socket.send({ ...said, text });
    await assert.rejects(socket.receive(), { code, reason });
    await assert.rejects(async () => { for await (const _ of socket); }, { code, reason });
  }
  assert.deepEqual(await (await open()).close(4001, "enough"), { code: 4001, reason: "enough" });
});

test("whom an Authenticator knows opens a socket, and it reads what the test has kept", async () => {
  await using app = await newTestApp();
  await partners.put(app.ctx(), { id: "p1" });
  const socket = await app.socket(room, { id: "a", as: [] }, { headers: { "X-Key": "p1" } });
  await socket.send(said);
  assert.equal((await socket.receive()).by.split(" ")[0], "p1");
});

test("a page of another site gets none, and the end of the application is theirs", async () => {
  const app = await newTestApp();
  const evil = app.socket(room, { id: "a", as: [] }, { headers: { Origin: "https://evil.test" } });
  await assert.rejects(evil, { status: 403, message: "this request is not allowed from another site" });
  const socket = await app.socket(room, { id: "a", as: [] });
  await app.close();
  assert.equal((await socket.closed).code, 1001);
});
`,
});

describe.each(["node", "vitest"] as const)("by %s", (runner) => {
  test("fw test runs the application's tests: they call, request and sign in to the application that they import", async () => {
    using app = testedApp(runner, { ...notes, ...tests(runner) });
    const { code, output } = await app.run("api");
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/3 passed/);
    expect(app.exists("ran")).toBe(false);
  });

  test("a test opens sockets: each end has messages of its types, the request its fields, and an end its code", async () => {
    using app = testedApp(runner, rooms(runner));
    const { code, output } = await app.run();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/4 passed/);
  });

  test("fw test fails when a test fails, with its place in the source", async () => {
    using app = testedApp(runner, { ...notes, ...tests(runner) });
    const { code, output } = await app.run();
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toContain("the test's own words");
    expect(output).toMatch(/notes\/broken\.spec\.ts:8:9/);
  });

  test("while a rule stands, fw test reports it and runs nothing", async () => {
    using app = testedApp(runner, { ...notes, ...tests(runner) });
    app.write({ "notes/twice.ts": `import { API } from "fw"; export const a = API("GET /_fw/x", () => 1);` });
    const { code, output } = await app.run();
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toContain("(fw/reserved-prefix)");
    expect(output).toMatch(/^fw: the application has a problem, so no test ran$/m);
    expect(app.exists("ran")).toBe(false);
  });

  test("fw test --watch runs the tests again after a save, but not while a rule stands", async () => {
    using app = testedApp(runner, { ...notes, ...tests(runner) });
    await using watching = app.start("api", "--watch");
    const summary = "3 passed";
    let heard = await watching.says(summary);
    if (runner === "vitest") heard = await watching.says("Waiting for file changes");
    app.write({ "notes/api.ts": notes["notes/api.ts"].replace('"GET /key"', '"GET /_fw/key"') });
    // Vitest writes these texts to two streams, so they arrive in any order.
    const texts = [
      "(fw/reserved-prefix)",
      "so no test ran",
      ...(runner === "vitest" ? ["Watching for file changes"] : []),
    ];
    const ends = await Promise.all(texts.map((text) => watching.says(text, heard)));
    heard = Math.max(...ends);
    app.write({ "notes/api.ts": notes["notes/api.ts"] });
    await watching.says(summary, heard);
  });
});

const generated = {
  "web/site.ts": `import { Page, Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"));`,
  "web/build.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("public/templates", { recursive: true });
writeFileSync("public/templates/layout.html", '<!doctype html><html lang="en"><head><title>x</title></head><body>{{content}}</body></html>');
writeFileSync("public/templates/home.html", "<p>made</p>");`,
  "web/site.test.ts": `
${importTest("node")}
import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
test("the home page is rendered from what the build command made", async () => {
  await using app = await newTestApp();
  assert.match(await (await app.fetch("/")).text(), /<p>made<\\/p>/);
});
`,
};

test("a site's build command runs before the tests", async () => {
  using app = testedApp("node", generated);
  const { code, output } = await app.run();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toMatch(/1 passed/);
});

test("while a site's build command fails, what it wrote is shown and no test runs", async () => {
  using app = testedApp("node", { ...generated, "web/build.mjs": `console.error("no such colour"); process.exit(3);` });
  const { code, output } = await app.run();
  expect(code).toBe(1);
  expect(output).toContain("no such colour");
  expect(output).toMatch(/fw: the site's build command failed \(exit code 3\): .*; no test ran\n/);
});

test("fw test says that no test file has the words in its path", async () => {
  using app = testedApp("node", notes);
  const { code, output } = await app.run("nothing");
  expect(code).toBe(1);
  expect(output).toContain(`\nfw: no test file (*.test.ts, *.spec.ts) with "nothing" in its path below ${app.root}\n`);
});

test("the application's own Vitest configuration stays in force, with the plugin or without", async () => {
  using app = testedApp("vitest", { ...notes, ...tests("vitest") });
  const config = (plugin: string): string => `
${plugin === "" ? "" : `import { fw } from "fw/vitest";`}
export default { plugins: [${plugin}], test: { include: ["notes/api.test.ts"], reporters: ["tap-flat"] } };
`;
  app.write({ "vitest.config.ts": config("") });
  expect(await app.run()).toMatchObject({ code: 0, output: expect.stringContaining("1..3") });
  app.write({ "vitest.config.ts": config("fw()") });
  expect(await app.run()).toMatchObject({ code: 0, output: expect.stringContaining("1..3") });
  expect(await app.runProgram("vitest/vitest.mjs", "run")).toMatchObject({
    code: 0,
    output: expect.stringContaining("1..3"),
  });
});

test("a configuration of a directory above is not the application's", async () => {
  using app = testedApp("vitest", {
    "vitest.config.ts": `export default { test: { include: ["nothing"] } };`,
    "inner/package.json": `{ "name": "inner", "type": "module" }`,
    ...Object.fromEntries(
      Object.entries({ ...notes, ...tests("vitest") }).map(([path, text]) => [`inner/${path}`, text]),
    ),
  });
  expect(await app.run("-C", "inner", "api")).toMatchObject({ code: 0, output: expect.stringContaining("3 passed") });
});

test("Vitest with the plugin refuses to start while a rule stands", async () => {
  using app = testedApp("vitest", {
    ...notes,
    ...tests("vitest"),
    "notes/api.ts": notes["notes/api.ts"].replace('"GET /key"', '"GET /_fw/key"'),
    "vitest.config.ts": `import { fw } from "fw/vitest"; export default { plugins: [fw()] };`,
  });
  const { code, output } = await app.runProgram("vitest/vitest.mjs", "run");
  expect({ code, output }).toMatchObject({ code: 1 });
  expect(output).toContain("(fw/reserved-prefix)");
  expect(app.exists("ran")).toBe(false);
});

test("newTestApp outside of fw test says how tests are run", async () => {
  using app = testedApp("node", {
    "alone.mjs": `import { newTestApp } from "fw/testing"; await newTestApp().catch((error) => console.log(error.message));`,
  });
  const { output } = await app.runProgram("../alone.mjs");
  expect(output).toBe(
    `newTestApp() needs the test runner of fw: run "fw test", or add the plugin of "fw/vitest" to Vitest\n`,
  );
});

test("the tests that docs/testing.md shows pass", async () => {
  const page = readFileSync(new URL("../docs/testing.md", import.meta.url), "utf8");
  using app = testedApp("node", shownFiles(page));
  const { code, output } = await app.run();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toMatch(/4 passed/);
});
