import { existsSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { allOfKind } from "../model/declarations.ts";
import type { BuildEvents } from "./site/builds.ts";
import { files, type Files } from "./testing/files.ts";
import { Workspace } from "./workspace.ts";

const open: Disposable[] = [];
afterEach(() => open.splice(0).forEach((each) => each[Symbol.dispose]()));

/** Creates an application on disk, and its workspace. */
function workspaceOf(texts: Readonly<Record<string, string>>, builds?: BuildEvents): [Workspace, Files] {
  const app = files({ "package.json": `{ "name": "app", "type": "module" }`, ...texts });
  const workspace = new Workspace({ root: app.root, env: process.env, ...(builds && { builds }) });
  open.push(app, { [Symbol.dispose]: () => workspace.close() });
  return [workspace, app];
}

/** Saves a file and reads the resulting change. */
async function save([workspace, app]: [Workspace, Files], name: string, text: string): Promise<string[]> {
  app.write({ [name]: text });
  await workspace.update(workspace.classify([{ path: app.path(name), kind: "changed" }]));
  return (await workspace.settled()).diagnostics.map(({ code, at }) => `${at.path} ${code}`);
}

const route = (pattern: string): string =>
  `import { API } from "fw";\nexport const get = API("GET ${pattern}", (): { ok: boolean } => ({ ok: true }));`;

const site = {
  "web/site.ts": `import { Page, Site } from "fw";
export const site = Site("./out", { build: { command: "node build.mjs", out: "./out" } });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"));`,
};

/** Returns a build command that writes one template. */
const makes = (template: string): string => `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("out/templates", { recursive: true });
writeFileSync("out/templates/home.html", ${JSON.stringify(template)});`;

test("what rules and templates say stands in source order, and nothing is to be run meanwhile", async () => {
  const it = workspaceOf({
    "b/api.ts": route("/_fw/b"),
    "a/site.ts": `import { Site } from "fw";\nexport const site = Site("./web");`,
    "a/web/templates/home.html": "{{#if}}",
  });
  const [workspace] = it;
  const { diagnostics } = await workspace.read();
  expect(diagnostics.map(({ code, at }) => `${at.path} ${code}`)).toEqual([
    "a/web/templates/home.html template",
    "b/api.ts fw/reserved-prefix",
  ]);
  expect(workspace.snapshot()).toBeUndefined();
  expect(await save(it, "b/api.ts", route("/b"))).toEqual(["a/web/templates/home.html template"]);
  expect(await save(it, "a/web/templates/home.html", "fine")).toEqual([]);
  expect(Object.values(workspace.snapshot()?.sources ?? {})).toContain(route("/b"));
});

test("advice is reported with the types, and the application runs meanwhile", async () => {
  const created = `import { API } from "fw";\nexport const get = API("GET /a", (): { at: Date } => ({ at: new Date() }));`;
  const [workspace] = workspaceOf({ "a/api.ts": created });
  expect((await workspace.read()).diagnostics).toEqual([]);
  expect(workspace.snapshot()).toBeDefined();
  const problems = await workspace.typeProblems(new AbortController().signal);
  expect(problems.map(({ code }) => code)).toEqual(["fw/machine-time"]);
});

test("a save of a function's body leaves the model the same object and the modules as generated, and a new route does not", async () => {
  const module = (path: string, body: string): string =>
    `import { API } from "fw";\nexport const get = API("GET ${path}", (): { n: number } => ({ n: ${body} }));`;
  const it = workspaceOf({ "a/api.ts": module("/a", "1"), "b/api.ts": module("/b", "1") });
  const [workspace] = it;
  await workspace.read();
  const { app } = workspace;
  const before = workspace.snapshot();
  await save(it, "b/api.ts", module("/b", "2"));
  const after = workspace.snapshot();
  expect(workspace.app).toBe(app);
  expect(Object.values(after?.sources ?? {})).toContain(module("/b", "2"));
  expect(after?.files).toBe(before?.files);
  expect(after?.exposed).toBe(before?.exposed);
  await save(it, "b/api.ts", module("/c", "2"));
  expect(workspace.app).not.toBe(app);
  expect(workspace.snapshot()?.files["fw:routes"]).not.toBe(before?.files["fw:routes"]);
});

test("modules of endpoints that are generated one by one are those of the snapshot, and none while there are problems", async () => {
  const module = (path: string): string =>
    `import { API } from "fw";\nexport const get = API("GET ${path}", (): { n: number } => ({ n: 1 }));`;
  const it = workspaceOf({ "a/api.ts": module("/a"), "b/api.ts": module("/b") });
  const [workspace] = it;
  const generated = async (): Promise<Record<string, string>> => {
    const files: Record<string, string> = {};
    await workspace.generateEndpoints((few) => Object.assign(files, few));
    return files;
  };
  await workspace.read();
  const files = await generated();
  expect(Object.keys(files)).toEqual(["fw:endpoints/a/api.ts", "fw:endpoints/b/api.ts"]);
  expect(workspace.snapshot()?.files).toMatchObject(files);
  await save(it, "b/api.ts", "export const =");
  expect(await generated()).toEqual({});
});

test("build commands run before templates are read, and again at a save of what they read", async () => {
  const messages: string[] = [];
  const events = {
    failed: ({ message }: { message: string }) => messages.push(message),
    recovered: () => messages.push(""),
  };
  const it = workspaceOf({ ...site, "web/build.mjs": makes("<p>one</p>") }, events);
  const [workspace] = it;
  const { app, diagnostics } = await workspace.read();
  expect(diagnostics).toEqual([]);
  const siteModel = allOfKind(app.packages, "site")[0];
  const code = (): string => (siteModel ? workspace.templates(siteModel).code : "");
  expect(code()).toContain("<p>one</p>");
  expect(await save(it, "web/build.mjs", makes("{{#if}}"))).toEqual(["web/out/templates/home.html template"]);
  expect(await save(it, "web/build.mjs", makes("<p>two</p>"))).toEqual([]);
  expect(code()).toContain("<p>two</p>");
  await save(it, "web/build.mjs", "process.exit(3)");
  expect(workspace.failedBuilds).toMatchObject([{ message: expect.stringContaining("exit code 3") }]);
  expect(code()).toContain("<p>two</p>");
  await save(it, "web/build.mjs", makes("<p>three</p>"));
  expect(workspace.failedBuilds).toEqual([]);
  expect(messages).toEqual([expect.stringContaining("exit code 3"), ""]);
});

test("where nobody asks for build commands, or a rule stands, none runs", async () => {
  const [checked, app] = workspaceOf({ ...site, "web/build.mjs": makes("<p>one</p>") });
  await checked.read();
  const failureListener = { failed: () => {}, recovered: () => {} };
  const [wrong, other] = workspaceOf(
    { ...site, "web/build.mjs": makes("<p>one</p>"), "b/api.ts": route("/_fw/b") },
    failureListener,
  );
  expect((await wrong.read()).diagnostics).toHaveLength(1);
  for (const each of [app, other]) expect(existsSync(each.path("web/out"))).toBe(false);
});

test("what a save concerns is told by what the application is", async () => {
  const [workspace, app] = workspaceOf(site);
  await workspace.read();
  const names = ["web/site.ts", "web/out/app.css", "web/out/templates/home.html", "notes.txt", ".env", "package.json"];
  const sorted = workspace.classify(names.map((name) => ({ path: app.path(name), kind: "changed" })));
  const { modules, assets, templates } = sorted;
  expect([modules, assets, templates].map((each) => workspace.names(each))).toEqual([
    ["web/site.ts"],
    ["web/out/app.css"],
    ["web/out/templates/home.html"],
  ]);
  expect(sorted).toMatchObject({ environment: true, project: true });
});
