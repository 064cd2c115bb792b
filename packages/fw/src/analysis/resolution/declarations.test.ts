import { describe, expect, test } from "vitest";
import { spanOf } from "../source/position.ts";
import { openProject } from "../source/project.ts";
import { writeApp } from "../testing/app.ts";
import { declarationsIn } from "./declarations.ts";

async function declarations(text: string): Promise<readonly string[]> {
  await using app = await writeApp(text.includes("-- ") ? text : `-- main.ts --\n${text}`);
  const project = openProject(app.root);
  const module = project.module("main.ts")!;
  return declarationsIn(project, module).map((each) => {
    const at = spanOf(module, each.call);
    const held = each.variable === undefined ? "" : ` ${each.exported ? "export " : ""}${each.variable}`;
    return `${at.line}:${at.column} ${each.name} ${each.placement}${held}${each.inside ? ` in ${each.inside}` : ""}`;
  });
}

describe("a declaration is known by its import", () => {
  test.each([
    ['import { API } from "fw";\nexport const a = API("GET /", h);', "2:18 API const export a"],
    ['import { API as Route } from "fw";\nconst a = Route("GET /", h);', "2:11 API const a"],
    ['import * as fw from "fw";\nexport const a = fw.API("GET /", h);', "2:18 API const export a"],
    ['import * as fw from "fw";\nexport const a = fw["API"]("GET /", h);', "2:18 API const export a"],
    ['import fw = require("fw");\nexport const a = fw.API("GET /", h);', "2:18 API const export a"],
    ['import { API } from "fw";\nconst Get = API;\nexport const a = Get("/", h);', "3:18 API const export a"],
    ['import { API } from "fw";\nconst lib = { API };\nexport const a = lib.API("/", h);', "3:18 API const export a"],
    ['import * as fw from "fw";\nconst { API: Get } = fw;\nexport const a = Get("/", h);', "3:18 API const export a"],
    [
      '-- main.ts --\nimport { lib } from "./lib";\nconst { Page } = lib;\nexport const a = Page("/", h);\n-- lib.ts --\nimport { Page } from "fw";\nexport const lib = { Page };\n',
      "3:18 Page const export a",
    ],
    ['import { API } from "fw";\nexport const a = API<Req, Res>("GET /", h) satisfies X;', "2:18 API const export a"],
    ['import { API } from "fw";\nconst a = (API)("GET /", h)!;\nexport { a as b };', "2:11 API const export a"],
    ['import { API } from "fw";\nconst a = API?.("GET /", h);\nexport default a;', "2:11 API const export a"],
    [
      '-- main.ts --\nimport { Route } from "./lib";\nexport const a = Route("GET /", h);\n-- lib.ts --\nexport { API as Route } from "fw";\n',
      "2:18 API const export a",
    ],
    [
      '-- main.ts --\nimport { API } from "./lib";\nexport const a = API("GET /", h);\n-- lib.ts --\nexport * from "fw";\n',
      "2:18 API const export a",
    ],
    [
      '-- main.ts --\nimport * as lib from "./lib";\nexport const a = lib.fw.API("GET /", h);\n-- lib.ts --\nexport * as fw from "fw";\n',
      "2:18 API const export a",
    ],
    [
      '-- main.ts --\nimport lib from "./lib";\nexport const a = lib.Page("GET /", h);\n-- lib.ts --\nimport { Page } from "fw";\nexport default { Page };\n',
      "2:18 Page const export a",
    ],
  ])("%s", async (source, found) => {
    expect(await declarations(source)).toEqual([found]);
  });

  test.each([
    'const API = (x) => x;\nexport const a = API("GET /");',
    'import { API } from "express";\nexport const a = API("GET /");',
    'import { Errorf } from "fw";\nthrow Errorf(400, "no");',
    'import { Page } from "fw";\nexport function f(Page) { return Page("x"); }',
    'import { Page } from "fw";\nexport function f() { const { Page } = x; return () => Page("x"); }',
    'import { Page } from "fw";\nfor (const Page of pages) Page("x");',
    'import { Page } from "fw";\ntry { f(); } catch (Page) { Page("x"); }',
    'import type { API } from "fw";\ntype X = typeof API;',
    'import * as fw from "fw";\nconst { blob: API } = fw;\nexport const a = API("GET /");',
    'import * as fw from "fw";\nconst { API = f } = fw;\nexport const a = API("GET /");',
    'import * as fw from "fw";\nlet { API } = fw;\nAPI = f;\nexport const a = API("GET /");',
  ])("and not by its name: %s", async (source) => {
    expect(await declarations(source)).toEqual([]);
  });
});

describe("a declaration says where it is written", () => {
  test.each([
    ['let a = API("GET /", h);', "API let a"],
    ['export var a = API("GET /", h);', "API var export a"],
    ['using a = API("GET /", h);', "API using a"],
    ['const { call } = API("GET /", h);', "API pattern"],
    ['export function f() { const a = API("GET /", h); }', "API function"],
    ['const f = () => API("GET /", h);', "API function"],
    ['class A { static a = API("GET /", h); }', "API class"],
    ['class A { m() { return API("GET /", h); } }', "API function"],
    ['{ const a = API("GET /", h); }', "API block"],
    ['if (x) API("GET /", h);', "API block"],
    ['namespace N { export const a = API("GET /", h); }', "API block"],
    ['const all = { a: API("GET /", h) };', "API object-member"],
    ['const all = [API("GET /", h)];', "API array-element"],
    ['const a = wrap(API("GET /", h));', "API argument"],
    ['export default API("GET /", h);', "API default-export"],
    ['API("GET /", h);', "API expression"],
    ['const a = x ? API("GET /", h) : y;', "API expression"],
    ['const a = API("GET /", h).call;', "API expression"],
  ])("%s", async (source, found) => {
    const [first, ...more] = await declarations(`import { API } from "fw";\n${source}`);
    expect(more).toEqual([]);
    expect(first?.slice(first.indexOf(" ") + 1)).toBe(found);
  });

  test("an argument of another declaration, also inside a literal, and a declaration inside a handler", async () => {
    const source = `import { API, Service, Site } from "fw";
export const a = API("GET /", () => Service({}), { x: [Site("./web")] });`;
    expect(await declarations(source)).toEqual([
      "2:18 API const export a",
      "2:37 Service function",
      "2:56 Site argument in API",
    ]);
  });
});
