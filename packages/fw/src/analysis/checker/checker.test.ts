import { execFile } from "node:child_process";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { WrittenApp } from "../testing/app.ts";
import { writeTypedApp } from "../testing/typed-app.ts";
import { openChecker, type Checker, type CheckerOptions } from "./checker.ts";

const opened: { readonly checker: Checker; readonly app: WrittenApp }[] = [];
afterEach(async () => {
  for (const { checker, app } of opened.splice(0)) {
    await checker.close();
    await app[Symbol.asyncDispose]();
  }
});

async function open(text: string, options?: CheckerOptions): Promise<{ checker: Checker; app: WrittenApp }> {
  const app = await writeTypedApp(text);
  const one = { app, checker: openChecker(app.root, options) };
  opened.push(one);
  return one;
}

/** Returns the position of a name in a text. */
function at(text: string, name: string): { readonly path: string; readonly start: number } {
  return { path: "a.ts", start: text.indexOf(name) };
}

const files = (text: string): string =>
  `-- a.ts --\n${text}\n-- b.ts --\nexport const b = (): { b: number } => ({ b: 1 });\n`;

describe("types", () => {
  test("are printed whole, exported names with their file", async () => {
    const text = `import { b } from "./b.ts";\nexport interface Named { n: string }\nexport const it = { call: b(), list: [{} as Named] };`;
    const { checker, app } = await open(files(text));
    expect(await checker.texts([at(text, "it = ")])).toEqual([
      `{ call: { b: number; }; list: import("${app.root}/a").Named[]; }`,
    ]);
  });

  test("follow a saved file, and what depends on it", async () => {
    const text = `import { b } from "./b.ts";\nexport const it = b();`;
    const { checker, app } = await open(files(text));
    expect(await checker.texts([at(text, "it = ")])).toEqual(["{ b: number; }"]);
    await app.write("b.ts", "export const b = (): { changed: string } => ({ changed: '' });");
    checker.update({ changed: ["b.ts"] });
    expect(await checker.texts([at(text, "it = ")])).toEqual(["{ changed: string; }"]);
  });

  test("are found in a file made later, and not in one that is gone", async () => {
    const { checker, app } = await open(files("export const a = 1;"));
    expect(await checker.texts([{ path: "c.ts", start: 13 }])).toEqual([undefined]);
    await app.write("c.ts", "export const c = { made: true };");
    checker.update({ created: ["c.ts"] });
    expect(await checker.texts([{ path: "c.ts", start: 13 }])).toEqual(["{ made: boolean; }"]);
    await app.remove("c.ts");
    checker.update({ deleted: ["c.ts"] });
    expect(await checker.texts([{ path: "c.ts", start: 13 }])).toEqual([undefined]);
  });

  test("are found in a new file that was read before all of it was written", async () => {
    const { checker, app } = await open(files("export const a = 1;"));
    await app.write("c.ts", "");
    const name = { path: "a.ts", start: 13 };
    expect(await checker.texts([name])).toEqual(["1"]);
    await app.write("c.ts", "export const c = { made: true };");
    checker.update({ created: ["c.ts"] });
    expect(await checker.texts([{ ...name, path: "c.ts" }])).toEqual(["{ made: boolean; }"]);
  });

  test("and errors are where the other findings of a file are, behind any end of a line", async () => {
    const text = "/* é\u2028 \u2029 */\r\nexport const it = 1;\rexport const wrong: string = 1;";
    const { checker } = await open(`-- b.ts --\nexport const b = 1;\n`);
    const { app } = opened.at(-1) ?? {};
    await app?.write("a.ts", text);
    checker.update({ created: ["a.ts"] });
    expect(await checker.texts([at(text, "it = ")])).toEqual(["1"]);
    const [found] = await checker.diagnostics();
    expect(found?.at).toMatchObject({ line: 5, column: 14 });
  });

  test("say which values are declarations of fw", async () => {
    const text = `import { API, Queue } from "fw";\nconst made = [API("GET /", () => 1)];\nexport const it = made[0];\nexport const other = 1;\nexport const either = Math.random() > 1 ? Queue<string>("q") : undefined;`;
    const { checker } = await open(files(text));
    const questions = ["it = ", "other = ", "either = "].map((name) => at(text, name));
    expect(await checker.declarationsAt(questions)).toEqual(["EndpointDeclaration", undefined, "QueueDeclaration"]);
  });

  test("are walked as data, recursion and fw's marks kept", async () => {
    const text = `import type { Int, Query } from "fw";\ninterface Tree { n: Int; q?: Query<"a" | "b", "w">; kids: Tree[] }\nexport const it = {} as Tree;`;
    const { checker } = await open(files(text));
    const [tree] = await checker.walks([at(text, "it = ")]);
    const root = tree?.nodes[tree.root];
    const kids = root?.kind === "object" ? root.properties.find(({ name }) => name === "kids") : undefined;
    const list = kids && tree?.nodes[kids.type];
    expect(list).toEqual({ kind: "array", items: tree?.root });
    expect(tree?.nodes.filter(({ kind }) => kind === "marker")).toMatchObject([
      { name: "int" },
      { name: "query", argument: "w" },
      { name: "query", argument: "w" },
    ]);
  });
});

describe("diagnostics", () => {
  test("with a signal are of the files as they were, whatever is asked meanwhile, and can be given up", async () => {
    const many = Array.from({ length: 60 }, (_, i) => `-- n${i}.ts --\nexport const n${i}: string = ${i};\n`).join("");
    const { checker, app } = await open(`-- a.ts --\nexport const a = 1;\n${many}`);
    const found = checker.diagnostics(undefined, new AbortController().signal);
    await checker.texts([{ path: "a.ts", start: 13 }]);
    await app.write("a.ts", "export const a: string = 2;");
    checker.update({ changed: ["a.ts"] });
    expect(await checker.texts([{ path: "a.ts", start: 13 }])).toEqual(["string"]);
    expect((await found).map(({ at }) => at.path)).not.toContain("a.ts");
    await expect(checker.diagnostics(undefined, AbortSignal.abort(new Error("given up")))).rejects.toThrow("given up");
    expect(await checker.diagnostics(["a.ts"])).toMatchObject([{ code: "ts2322" }]);
  });

  test("have paths relative to the application, positions counted from 1, and no full stop", async () => {
    const { checker } = await open(files(`export const a = 1;\n  export const wrong: number = "x";\n`));
    expect(await checker.diagnostics()).toEqual([
      {
        code: "ts2322",
        at: { path: "a.ts", line: 2, column: 16, endLine: 2, endColumn: 21 },
        message: "Type 'string' is not assignable to type 'number'",
      },
    ]);
  });

  test("count UTF-16 units, behind a byte order mark too", async () => {
    const { checker, app } = await open(files(""));
    await app.write("a.ts", "\ufeffexport const a = '😀'; export const wrong: number = 'x';\n");
    expect(await checker.diagnostics()).toMatchObject([{ at: { line: 1, column: 37 } }]);
  });

  test("can be asked for one file, and see a saved mistake", async () => {
    const { checker, app } = await open(files("export const a = 1;"));
    expect(await checker.diagnostics(["a.ts"])).toEqual([]);
    await app.write("a.ts", "export const a: string = 1;");
    checker.update({ changed: ["a.ts"] });
    expect(await checker.diagnostics(["a.ts"])).toMatchObject([{ code: "ts2322" }]);
    expect(await checker.diagnostics(["b.ts"])).toEqual([]);
  });

  test("hold to the application's own tsconfig.json, and to strict defaults without one", async () => {
    const loose = `export function f(x) { return x; }`;
    const { checker: strict } = await open(files(loose));
    expect(await strict.diagnostics()).toMatchObject([{ code: "ts7006" }]);
    const config = `-- tsconfig.json --\n{ "compilerOptions": { "strict": false, "noEmit": true, "module": "nodenext", "allowImportingTsExtensions": true } }\n`;
    const { checker: own, app } = await open(config + files(loose));
    expect(await own.diagnostics()).toEqual([]);
    await expect(readFile(join(app.root, ".fw/tsconfig.json"))).rejects.toThrow();
  });

  test("of a broken tsconfig.json are reported at it", async () => {
    const { checker } = await open(
      `-- tsconfig.json --\n{ "compilerOptions": { "strict": "yes" } }\n${files("export {};")}`,
    );
    expect(await checker.diagnostics()).toMatchObject([{ at: { path: "tsconfig.json" } }]);
  });
});

/** Writes a TypeScript server that fails to start `deaths` times, and returns its path. */
async function dying(app: WrittenApp, deaths: number): Promise<string> {
  const real = fileURLToPath(import.meta.resolve("typescript/package.json"));
  const path = join(app.root, "tsc.sh");
  const find = `require(${JSON.stringify(real.replace("package.json", "lib/getExePath.js"))})`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "-e",
    `const m = ${find}; process.stdout.write((m.default ?? m)())`,
  ]);
  const count = join(app.root, "count");
  await writeFile(
    path,
    `#!/bin/sh\necho $$ > "${join(app.root, "pid")}"\necho x >> "${count}"\nif [ $(wc -l < "${count}") -le ${deaths} ]; then exit 3; fi\nexec "${stdout}" "$@"\n`,
  );
  await chmod(path, 0o755);
  return path;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the server", () => {
  test.skipIf(process.platform === "win32")("is started again once when it dies", async () => {
    const { app } = await open(files("export const it = 1;"));
    const checker = openChecker(app.root, { executable: await dying(app, 1) });
    opened.push({ checker, app });
    expect(await checker.texts([{ path: "a.ts", start: 13 }])).toEqual(["1"]);
  });

  test.skipIf(process.platform === "win32")("is started again when it died between two questions", async () => {
    const { app } = await open(files("export const it = 1;"));
    const checker = openChecker(app.root, { executable: await dying(app, 0) });
    opened.push({ checker, app });
    await checker.texts([{ path: "a.ts", start: 13 }]);
    process.kill(Number(await readFile(join(app.root, "pid"), "utf8")), "SIGKILL");
    await app.write("a.ts", "export const it = 2;");
    checker.update({ changed: ["a.ts"] });
    expect(await checker.texts([{ path: "a.ts", start: 13 }])).toEqual(["2"]);
  });

  test.skipIf(process.platform === "win32")("that dies while it takes up what was saved is started again", async () => {
    const { app } = await open(files("export const it = 1;"));
    const checker = openChecker(app.root, { executable: await dying(app, 0) });
    opened.push({ checker, app });
    await checker.texts([{ path: "a.ts", start: 13 }]);
    await app.write("a.ts", "export const it = 2;");
    checker.update({ changed: ["a.ts"] });
    process.kill(Number(await readFile(join(app.root, "pid"), "utf8")), "SIGKILL");
    checker.start();
    expect(await checker.texts([{ path: "a.ts", start: 13 }])).toEqual(["2"]);
  });

  test.skipIf(process.platform === "win32")("that dies twice is a failure with a sentence, not a hang", async () => {
    const { app } = await open(files("export const it = 1;"));
    const checker = openChecker(app.root, { executable: await dying(app, 99) });
    opened.push({ checker, app });
    await expect(checker.diagnostics()).rejects.toThrow(
      "the TypeScript server stopped twice while checking this application",
    );
  });

  test.skipIf(process.platform === "win32")("that never answers is stopped after the timeout", async () => {
    const { app } = await open(files("export const it = 1;"));
    const path = join(app.root, "stuck.sh");
    await writeFile(path, "#!/bin/sh\nexec sleep 600\n");
    await chmod(path, 0o755);
    const checker = openChecker(app.root, { executable: path, timeout: 200 });
    opened.push({ checker, app });
    await expect(checker.texts([{ path: "a.ts", start: 13 }])).rejects.toThrow("stopped twice");
  });

  test.skipIf(process.platform === "win32")(
    "that is closed while it starts is stopped, and not waited for",
    async () => {
      const { app } = await open(files("export const it = 1;"));
      const path = join(app.root, "slow.sh");
      const pid = join(app.root, "pid");
      await writeFile(path, `#!/bin/sh\necho $$ > ${pid}\nexec sleep 600\n`);
      await chmod(path, 0o755);
      const checker = openChecker(app.root, { executable: path });
      opened.push({ checker, app });
      checker.start();
      await expect.poll(() => readFile(pid, "utf8").catch(() => "")).toMatch(/\d\n/);
      const server = Number(await readFile(pid, "utf8"));
      await checker.close();
      await expect.poll(() => isRunning(server)).toBe(false);
    },
  );

  test("that is not installed is a failure with a sentence", async () => {
    const { app } = await open(files("export const it = 1;"));
    const checker = openChecker(app.root, { executable: join(app.root, "nowhere") });
    opened.push({ checker, app });
    await expect(checker.texts([{ path: "a.ts", start: 13 }])).rejects.toThrow(
      /TypeScript could not start|stopped twice/,
    );
  });

  test("answers no more once it is closed", async () => {
    const { checker } = await open(files("export const it = 1;"));
    await checker.texts([{ path: "a.ts", start: 13 }]);
    await checker.close();
    await expect(checker.texts([{ path: "a.ts", start: 13 }])).rejects.toThrow("closed");
  });

  test.each([
    ["has nothing left to ask", "", "[ '1' ]"],
    ["has closed it", " await c.close(); console.log('closed');", "[ '1' ]\nclosed"],
  ])("does not keep a process alive that %s", async (_, close, printed) => {
    const { app } = await open(files("export const it = 1;"));
    const module = fileURLToPath(new URL("../../../dist/analysis/checker/checker.js", import.meta.url));
    const script = `const { openChecker } = await import(${JSON.stringify(module)}); const c = openChecker(${JSON.stringify(app.root)}); console.log(await c.texts([{ path: "a.ts", start: 13 }]));${close}`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 240_000,
    });
    expect(stdout.trim()).toBe(printed);
    await rm(join(app.root, ".fw"), { recursive: true, force: true });
  });
});
