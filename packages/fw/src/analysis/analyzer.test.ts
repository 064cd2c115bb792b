import { describe, expect, test } from "vitest";
import { endpointsOf } from "../model/declarations.ts";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { openAnalyzer, type Analysis } from "./index.ts";
import { openChecker } from "./checker/checker.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

function lines({ diagnostics }: Analysis): readonly string[] {
  return diagnostics.map(({ at, code }) => `${at.path}:${at.line}:${at.column} ${code}`);
}

function routes({ app }: Analysis): readonly string[] {
  return app.packages.flatMap((pkg) => endpointsOf(pkg).map(({ route }) => `${pkg.name} ${route.pattern}`));
}

function total({ app }: Analysis): unknown {
  const response = app.packages.flatMap(endpointsOf)[0]?.response;
  return response?.kind === "object" ? response.fields[0]?.schema : response;
}

function all({ app: { packages } }: Analysis): readonly unknown[] {
  return packages.flatMap(endpointsOf);
}

async function analyze(text: string): Promise<Analysis> {
  await using app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root);
  try {
    return await analyzer.analyze();
  } finally {
    analyzer.close();
  }
}

const shop = `
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- shop/orders.ts --
import { API, type Path } from "fw";
import { base } from "../lib/base.ts";
import type { Order } from "./order";
export interface Get { id: Path }
export const getOrder = API(\`GET \${base}/{id}\`, async (ctx, req: Get): Promise<Order> => ({ id: req.id, total: 1 }));
export const list = API(\`GET \${base}\`, async (ctx): Promise<string[]> => []);
-- shop/order.ts --
export interface Order { id: string; total: number }
-- lib/base.ts --
export const base = "/orders";
-- report/report.ts --
import { API } from "fw";
import { getOrder } from "../shop/orders.ts";
export const report = API("GET /report", async (ctx) => {
  const order = await getOrder.call(ctx, { id: "1" });
  return { total: order.total };
});
`;

describe("a package is a directory with at least one declaration", () => {
  test("directories without one, tests, declarations of types, tools' directories and nested applications are none", async () => {
    const other = `import { API } from "fw";\nexport const a = API("GET /no", async (ctx): Promise<string> => "");\n`;
    const elsewhere = [
      "a.test.ts",
      "a.spec.ts",
      "a.d.ts",
      "dist/a.ts",
      ".cache/a.ts",
      "node_modules/x/a.ts",
      "nested/a.ts",
    ];
    const files = elsewhere.map((path) => `-- ${path} --\n${other}`).join("");
    const analysis = await analyze(
      `${shop}${files}-- nested/package.json --\n{}\n-- web/home.mts --\n${other.replace("/no", "/yes")}`,
    );
    expect(lines(analysis)).toEqual([]);
    expect(routes(analysis)).toEqual([
      "report GET /report",
      "shop GET /orders/{id}",
      "shop GET /orders",
      "web GET /yes",
    ]);
    expect(analysis.app.name).toBe("app");
  });
});

describe("imports are resolved as users write them", () => {
  test.each([
    ["./lib/base", ""],
    ["./lib/base.js", ""],
    ["./lib/base.ts", ""],
    ["#base", ""],
    ["@lib/base", '-- tsconfig.json --\n{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } }\n'],
  ])("%s", async (specifier, more) => {
    const analysis = await analyze(`
-- package.json --
{ "name": "app", "type": "module", "imports": { "#base": "./lib/base.ts" } }
-- lib/base.ts --
export const base = "/base";
${more}
-- main.ts --
import { API } from "fw";
import { base } from "${specifier}";
export const a = API(\`GET \${base}\`, async (ctx): Promise<string> => "");
`);
    expect(routes(analysis)).toEqual(["app GET /base"]);
  });
});

describe("an update reads again what a change reaches, and nothing else", () => {
  test.each([
    ["a constant of another file", "lib/base.ts", 'export const base = "/sales";\n'],
    ["a type of another file", "shop/order.ts", "export interface Order { id: string; total: string }\n"],
    [
      "a body",
      "shop/orders.ts",
      shop
        .slice(shop.indexOf("import { API, type Path"), shop.indexOf("-- shop/order.ts"))
        .replace("total: 1", "total: 2"),
    ],
    [
      "a new declaration",
      "shop/more.ts",
      'import { API } from "fw";\nexport const more = API("GET /more", async (ctx): Promise<void> => {});\n',
    ],
    ["a new file that shadows another", "shop/order/index.ts", "export interface Order { other: string }\n"],
    ["a file that no longer parses", "shop/order.ts", "export interface Order { id: \n"],
    ["a declaration that goes", "report/report.ts", "export {};\n"],
    [
      "a mistake",
      "shop/orders.ts",
      'import { API } from "fw";\nexport let a = API("GET /a", async (ctx): Promise<void> => {});\n',
    ],
  ])("%s", async (_, path, text) => {
    await using app = await writeTypedApp(shop);
    const analyzer = openAnalyzer(app.root);
    const fresh = openAnalyzer(app.root);
    try {
      const first = await analyzer.analyze();
      const original = shop.split(`-- ${path} --\n`)[1]?.split(/^-- /m)[0];
      await app.write(path, text);
      const after = await analyzer.update([{ path, kind: original === undefined ? "created" : "changed" }]);
      expect(after).toEqual(await fresh.analyze());
      await (original === undefined ? app.remove(path) : app.write(path, original));
      const again = await analyzer.update([
        { path: join(app.root, path), kind: original === undefined ? "deleted" : "changed" },
      ]);
      expect(again).toEqual(first);
    } finally {
      analyzer.close();
      fresh.close();
    }
  });

  test("an inferred response follows the endpoint it calls, in another package", async () => {
    await using app = await writeTypedApp(shop);
    const analyzer = openAnalyzer(app.root);
    try {
      expect(total(await analyzer.analyze())).toEqual({ kind: "number" });
      await app.write("shop/order.ts", "export interface Order { id: string; total: boolean }\n");
      expect(total(await analyzer.update([{ path: "shop/order.ts", kind: "changed" }]))).toEqual({ kind: "boolean" });
    } finally {
      analyzer.close();
    }
  });

  test("endpoints that come out the same stay the same objects", async () => {
    await using app = await writeTypedApp(shop);
    const analyzer = openAnalyzer(app.root);
    try {
      const before = all(await analyzer.analyze());
      await app.write("lib/base.ts", 'export const base = "/orders"; // said again\n');
      const same = all(await analyzer.update([{ path: "lib/base.ts", kind: "changed" }]));
      expect(same.every((endpoint, index) => endpoint === before[index])).toBe(true);
      await app.write("lib/base.ts", 'export const base = "/sales";\n');
      const after = all(await analyzer.update([{ path: "lib/base.ts", kind: "changed" }]));
      expect(after.map((endpoint, index) => endpoint === before[index])).toEqual([true, false, false]);
    } finally {
      analyzer.close();
    }
  });
});

describe("one mistake, one diagnostic", () => {
  test("a file that does not parse is all that is said of what depends on it", async () => {
    const analysis = await analyze(
      `${shop}-- lib/base.ts --\nexport const base = ;\n-- web/a.ts --\nimport { API } from "fw";\nexport let a = API("GET /a", async (ctx): Promise<void> => {});\n`,
    );
    expect(lines(analysis)).toEqual(["lib/base.ts:1:21 syntax", "web/a.ts:2:16 fw/package-level"]);
  });

  test("TypeScript does not repeat a rule that is told at a field in another file", async () => {
    await using app = await writeTypedApp(
      `-- shop/model.ts --\nexport interface Req { note: string }\n-- shop/api.ts --\nimport { API } from "fw";\nimport type { Req } from "./model.ts";\nexport const a = API("GET /a", (_ctx, req: Req): string => req.note);\n`,
    );
    const analyzer = openAnalyzer(app.root);
    try {
      expect(lines(await analyzer.analyze())).toEqual(["shop/model.ts:1:24 fw/body-on-get"]);
      expect(await analyzer.typeDiagnostics()).toEqual([]);
    } finally {
      analyzer.close();
    }
  });

  test("TypeScript does not repeat a syntax error", async () => {
    await using app = await writeTypedApp(`-- a.ts --\nexport const a = ;\n-- b.ts --\nexport const b: string = 1;\n`);
    const analyzer = openAnalyzer(app.root);
    try {
      expect(lines(await analyzer.analyze())).toEqual(["a.ts:1:18 syntax"]);
      expect((await analyzer.typeDiagnostics()).map(({ at, code }) => `${at.path} ${code}`)).toEqual(["b.ts ts2322"]);
    } finally {
      analyzer.close();
    }
  });
});

describe("no source makes the analyser throw", () => {
  test("files that are no text, cannot be read, or lead in circles", async () => {
    await using app = await writeTypedApp(shop);
    await app.write("shop/latin.ts", new Uint8Array([0x2f, 0x2f, 0xe9, 0x0a]));
    await app.write("shop/nul.ts", new Uint8Array([0, 1, 2, 3]));
    await symlink(app.root, join(app.root, "shop", "circle"), "junction");
    await symlink("missing.ts", join(app.root, "shop", "dangling.ts"));
    await symlink(join(app.root, "shop", "self.ts"), join(app.root, "shop", "self.ts"));
    await app.write("closed/a.ts", "export {};");
    await chmod(join(app.root, "closed"), 0);
    const analyzer = openAnalyzer(app.root);
    try {
      const analysis = await analyzer.analyze();
      expect(lines(analysis)[0]).toBe("shop/latin.ts:1:1 syntax");
      expect(analysis.diagnostics.every(({ code }) => code === "syntax")).toBe(true);
      expect(routes(analysis)).toHaveLength(3);
    } finally {
      analyzer.close();
      await chmod(join(app.root, "closed"), 0o755);
    }
  });

  test("positions count UTF-16 units from 1, behind a byte order mark, emoji and CR LF", async () => {
    const analysis = await analyze(
      `-- d/a.ts --\n\ufeffimport { API } from "fw"; // 😀\r\n/* 😀é */ export let a = API("GET /a", async (ctx): Promise<void> => {});\r\n-- c/b.ts --\n\ufeffexport let b = ;\n`,
    );
    expect(lines(analysis)).toEqual(["c/b.ts:1:16 syntax", "d/a.ts:2:26 fw/package-level"]);
  });

  test("TypeScript checks the files while types are read", async () => {
    await using app = await writeTypedApp(shop);
    const checker = openChecker(app.root);
    let errors: Promise<readonly Diagnostic[]> | undefined;
    const analyzer = openAnalyzer(app.root, {
      checker: {
        start: () => checker.start(),
        update: (changes) => checker.update(changes),
        walks: (questions) => checker.walks(questions),
        data: (questions) => checker.data(questions),
        declarationsAt: (questions) => checker.declarationsAt(questions),
        close: () => checker.close(),
        diagnostics: (paths, signal) => (errors = checker.diagnostics(paths, signal)),
        // Answers questions only after it has reported all errors.
        texts: async (questions) => {
          expect(await errors).toEqual([]);
          return checker.texts(questions);
        },
      },
    });
    try {
      expect(routes(await analyzer.analyze({ types: true }))).toContain("report GET /report");
      expect(await analyzer.typeDiagnostics()).toEqual([]);
    } finally {
      analyzer.close();
    }
  });

  test("a TypeScript that does not run is said at the declarations that need it", async () => {
    await using app = await writeTypedApp(shop);
    const analyzer = openAnalyzer(app.root, {
      checker: openChecker(app.root, { executable: join(app.root, "no-such-tsc") }),
    });
    try {
      const analysis = await analyzer.analyze();
      expect(lines(analysis)).toEqual(["report/report.ts:3:23 typescript"]);
      expect(routes(analysis)).toEqual(["shop GET /orders/{id}", "shop GET /orders"]);
    } finally {
      analyzer.close();
    }
  });
});
