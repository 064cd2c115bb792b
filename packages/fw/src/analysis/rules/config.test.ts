import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Prints the findings of a module of the package `shop`, without its path. */
function printed(source: string): Promise<string[]> {
  return bench.printShop(
    `import { API, Page, Service, Site, StatusPage } from "fw";\n${source}\n-- shop/web/a.css --\n`,
  );
}

const api = (config: string) =>
  `declare const some: { signIn: true };\nconst yes = true;\nexport const a = API("GET /a", () => 1, ${config});`;

const three = (kind: string) => ["a", "b", "c"].map((name) => `export const ${name} = ${kind};`).join("\n");

describe("config-literal: a config is held in a variable or a field is computed", () => {
  test.each([
    "{}",
    "undefined",
    "({ signIn: true })",
    "{ signIn: true } as const",
    "{ signIn: true } satisfies { signIn: true }",
    "{ signIn: yes }",
    "{ 'signIn': !yes }",
    "{ signIn: undefined }",
  ])("%s is a literal of constants", async (config) => {
    expect(await printed(api(config))).toEqual([]);
  });

  test.each([
    ["some", "4:41: the config is not a literal"],
    ["null", "4:41: the config is not a literal"],
    ["[]", "4:41: the config is not a literal"],
    ["yes ? { signIn: true } : {}", "4:41: the config is not a literal"],
    ["{ ...some }", "4:43: the config spreads another object"],
    ["{ ['sign' + 'In']: true }", "4:44: the name of a setting is computed"],
    ["{ get signIn() { return true as const; } }", '4:47: "signIn" is not a constant: it is a method or an accessor'],
    ["{ signIn: 1 }", '4:51: "signIn" must be true or false'],
    ["{ signin: true }", '4:43: there is no setting "signin"'],
    ["{ __proto__: null }", '4:43: there is no setting "__proto__"'],
    ["{ constructor: 1 }", '4:43: there is no setting "constructor"'],
  ])("%s is not", async (config, message) => {
    expect(await printed(api(config))).toEqual([`${message} (fw/config-literal)`]);
  });

  test("a value that is no constant says why", async () => {
    const lines = await printed(api("{ signIn: some.signIn }"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^4:51: "signIn" is not a constant: .+ \(fw\/config-literal\)$/);
  });

  test.each([
    ["signin", 'did you mean "signIn"?'],
    ["maxage", 'did you mean "maxAge"?'],
    [
      "cache",
      'the settings are "signIn", "allow", "private", "maxAge", "status", "maxBody", "profile", "footprint" and "traffic"',
    ],
  ])("the setting %s gets the advice %s", async (name, hint) => {
    const [found] = await bench.diagnose(
      `-- shop/shop.ts --\nimport { API } from "fw";\nexport const a = API("GET /a", () => 1, { ${name}: true });`,
    );
    expect(found?.hint).toBe(hint);
  });

  test("every mistake of a config is told at once", async () => {
    expect(await printed('export const s = Service({ profile: "fats", domain: 1, ...{} });')).toEqual([
      '2:37: "profile" must be "default", "latency" or "batch" (fw/config-literal)',
      '2:53: "domain" must be a string (fw/config-literal)',
      "2:56: the config spreads another object (fw/config-literal)",
    ]);
  });

  test.each([
    ["{ build: { comand: 'x', out: './web' } }", '2:43: there is no setting "build.comand"'],
    ["{ build: { command: 'x' } }", '2:41: "build.out" is missing'],
    ["{ build: 'npm run build' }", "2:41: the config is not a literal"],
    ["{ redirects: { old: '/' } }", '2:47: "old" is not a path to redirect'],
    ["{ redirects: { '/old': 'new' } }", '2:55: "new" is not a path to redirect'],
    ["{ redirects: { '/old': 7 } }", '2:55: "redirects["/old"]" must be a string'],
    ["{ trustedHTML: 'yes' }", '2:47: "trustedHTML" must be true or false'],
  ])("inside a Site's config too: %s", async (config, message) => {
    expect(await printed(`export const s = Site("./web", ${config});`)).toEqual([`${message} (fw/config-literal)`]);
  });

  test("a redirect may lead to another site", async () => {
    expect(
      await printed(`export const s = Site("./web", { redirects: { "/docs": "https://docs.example.com/" } });`),
    ).toEqual([]);
  });
});

describe("one-config: two config values are passed where one is read", () => {
  test.each([
    ["API('GET /a', () => 1, {}, {})", "2:45"],
    ["Site('./web', {}, {})", "2:36"],
    ["Service({}, {})", "2:30"],
  ])("%s", async (call, position) => {
    expect(await printed(`export const a = ${call};`)).toEqual([
      `${position}: a declaration takes only one config (fw/one-config)`,
    ]);
  });
});

describe("one-service, one-site, one-status: two in a package", () => {
  test.each([
    ["Service()", "one-service"],
    ['Site("./web")', "one-site"],
    ["StatusPage(() => { throw 1; })", "one-status"],
  ])("%s is reported at each later one", async (kind, rule) => {
    const lines = await printed(three(kind));
    expect(lines.map((line) => line.replace(/: .*\(/, " ("))).toEqual([`3:14 (fw/${rule})`, `4:14 (fw/${rule})`]);
  });

  test("the first keeps its settings: the domain of a second Service is not judged by what the package serves", async () => {
    const lines = await printed(
      'export const a = Service();\nexport const b = Service({ domain: "shop.example.com" });',
    );
    expect(lines.map((line) => line.replace(/^.*\(/, "("))).toEqual(["(fw/one-service)"]);
  });
});

describe("unexported-status: a status page variable is unexported", () => {
  test("an export further down counts, also under another name", async () => {
    expect(await printed("const s = StatusPage(() => { throw 1; });\nexport { s as status };")).toEqual([]);
  });

  test("is reported at the variable", async () => {
    expect(await printed("const s = StatusPage(() => { throw 1; });")).toEqual([
      '2:7: the status page "s" is not exported (fw/unexported-status)',
    ]);
  });
});

describe("site-dir: the site directory is missing and nothing builds it", () => {
  test.each([
    ['"./web"', []],
    ['"web/"', []],
    ['"../shop/web"', []],
    ['"."', ["the site's directory \"shop\" holds shop/shop.ts: the application's source would be served"]],
    [
      '".."',
      [
        "the site's directory is the application's own, where shop/shop.ts lies: the application's source would be served",
      ],
    ],
    ['"./wbe"', ['the site\'s directory "shop/wbe" does not exist']],
    ['"./web/a.css"', ['the site\'s directory "shop/web/a.css" does not exist']],
    ['"../../web"', ['the site\'s directory "../../web" is outside the application']],
    ['"/etc"', ['the site\'s directory "/etc" is outside the application']],
    ['"./none", { build: { command: "x", out: "./none" } }', []],
    ['"./none/site", { build: { command: "x", out: "./none" } }', []],
    [
      '"./none", { build: { command: "x", out: "./other" } }',
      ['the site\'s directory "shop/none" does not exist, and the build creates "shop/other"'],
    ],
    ['"./web", { fallback: "a.css" }', []],
    ['"./none", { fallback: "a.html", build: { command: "x", out: "./none" } }', []],
  ])("Site(%s)", async (args, messages) => {
    expect(await printed(`export const s = Site(${args});`)).toEqual(
      messages.map((message) => `2:23: ${message} (fw/site-dir)`),
    );
  });

  test("a directory that is made later ends the error, without a change to the source", async () => {
    const app = '-- shop/shop.ts --\nimport { Site } from "fw";\nexport const s = Site("./fresh");\n';
    expect(await bench.diagnose(app)).toHaveLength(1);
    expect(await bench.diagnose(`${app}-- shop/fresh/a.css --\n`)).toEqual([]);
  });

  test("a directory that comes to hold a module is refused from then on", async () => {
    const app =
      '-- shop/shop.ts --\nimport { Site } from "fw";\nexport const s = Site("./web");\n-- shop/web/a.js --\n';
    expect(await bench.print(app)).toEqual([]);
    expect(await bench.print(`${app}-- shop/web/b/secret.ts --\nexport const key = 1;\n`)).toEqual([
      "shop/shop.ts:2:23: the site's directory \"shop/web\" holds shop/web/b/secret.ts: the application's source would be served (fw/site-dir)",
    ]);
  });

  test.each([
    ["index.html", 'the site\'s fallback "shop/web/index.html" does not exist'],
    ["/a.css", 'the site\'s fallback "/a.css" is not a file that a site serves'],
    ["../web/a.css", 'the site\'s fallback "../web/a.css" is not a file that a site serves'],
    ["templates/a.html", 'the site\'s fallback "templates/a.html" is not a file that a site serves'],
  ])("a fallback %j is refused", async (fallback, message) => {
    expect(await printed(`export const s = Site("./web", { fallback: "${fallback}" });`)).toEqual([
      `2:44: ${message} (fw/site-dir)`,
    ]);
  });

  test("a build that cannot be read may make it", async () => {
    expect(
      await printed('declare const out: string;\nexport const s = Site("./none", { build: { command: "x", out } });'),
    ).toHaveLength(1);
  });
});

describe("const-name: a resource name is not a string constant", () => {
  test.each(["7", "String(1)", "...[]"])("Site(%s)", async (argument) => {
    const lines = await printed(`export const s = Site(${argument});`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^2:23: the site's directory is not a string constant.*\(fw\/const-name\)$/);
  });
});
