import { describe, expect, test } from "vitest";
import type { App, Endpoint } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { exposedName } from "./expose.ts";
import { notes, shop } from "./testing/apps.ts";
import { club } from "./testing/club.ts";
import { evaluate } from "./testing/evaluate.ts";
import { mail } from "./testing/mail.ts";
import { endpoint, field, request } from "./testing/models.ts";
import { endpointsSpecifier, type Generated, generator, type GenerateOptions } from "./wiring.ts";

const options: GenerateOptions = { templates: (site) => `templates:${site.dir}` };

/** Evaluates generated modules, with a stand-in for every declaration of the application, and returns the bundle. */
function run(generated: Generated): Bundle {
  const modules: Record<string, object> = { "templates:web/public": { templates: { "home.html": () => "" } } };
  for (const [path, variables] of generated.exposed) {
    modules[`./${path}`] = Object.fromEntries(
      variables.map((name) => [exposedName(name), { declared: `${path} ${name}` }]),
    );
  }
  const load = (specifier: string): object =>
    modules[specifier] ?? evaluate(generated.files.get(specifier) ?? "", load);
  return (load(generated.entry) as { default: Bundle }).default;
}

describe.each([
  ["shop", shop],
  ["notes", notes],
  ["mail", mail],
  ["club", club],
])("the modules generated for %s", (name, app) => {
  const generated = generator(options)(app);

  test.each([...generated.files])("%s is as it was read", async (specifier, text) => {
    const file = specifier.replace("fw:", "").replaceAll("/", "-").replace(/\.ts$/, "");
    await expect(text).toMatchFileSnapshot(`../../test-data/generate/${name}/${file}.js.txt`);
  });

  test("load the markdown libraries before the first request, where something renders markdown", () => {
    const entry = (markdown: boolean): string => {
      const { files, entry } = generator({ ...options, markdown: () => markdown })(app);
      return files.get(entry) ?? "";
    };
    const hasSite = allOfKind(app.packages, "site").length > 0;
    expect(entry(true).includes("await loadMarkdown();")).toBe(hasSite);
    expect(entry(false)).not.toContain("loadMarkdown");
  });

  test("import no application code in the modules of endpoints, which fw dev then keeps after a save", () => {
    const specifiers = [...generated.files.keys()].filter((specifier) => specifier.startsWith(endpointsSpecifier("")));
    const imports = specifiers.flatMap((specifier) => generated.files.get(specifier)?.match(/^import .*$/gm) ?? []);
    expect(imports.filter((line) => !line.endsWith(' from "fw/runtime";'))).toEqual([]);
  });

  test("are the same for an equal application", () => {
    expect(generator(options)(structuredClone(app))).toEqual(generated);
  });
});

describe("the bundle", () => {
  const bundle = run(generator(options)(notes));

  test("names the application, its packages and the methods it answers", () => {
    expect(bundle.app).toBe("notes");
    expect(bundle.methods).toEqual(["GET", "POST"]);
    expect(bundle.packages.map(({ name, service }) => [name, service])).toEqual([
      ["files", "files"],
      ["web", "web-main"],
    ]);
  });

  test("holds each endpoint at the index that its route matches", () => {
    const params: string[] = [];
    const generated = bundle.endpoints[bundle.match("POST", "/notes/7", params)];
    expect(generated).toMatchObject({
      route: "POST /notes/{id}",
      kind: "page",
      carries: "form",
      package: 1,
      declaration: { declared: "web/pages.ts saveNote" },
    });
    const form = { values: new Map([["title", ["t"]]]), files: new Map() };
    expect(generated?.decode({ params, query: "", body: undefined, form, fields: undefined })).toEqual({
      id: "7",
      title: "t",
    });
  });

  test("carries the settings of routes", () => {
    expect(bundle.endpoints.map(({ route, private: hidden, maxAge }) => [route, hidden, maxAge])).toEqual([
      ["GET /internal/files", true, 0],
      ["GET /", false, 600],
      ["GET /notes/new", false, 0],
      ["POST /notes/{id}", false, 0],
      ["POST /upload", false, 0],
    ]);
  });

  test("reaches declarations that the application does not export", () => {
    expect(bundle.packages[1]).toMatchObject({
      settings: { declaration: { declared: "web/service.ts main" }, domain: "notes.example.org" },
      site: {
        declaration: { declared: "web/site.ts site" },
        dir: "web/public",
        redirects: { "/old": "/new" },
        notFound: "404.html",
      },
      status: { declared: "web/site.ts status" },
    });
  });

  test("carries the table of a site's files where there is one", () => {
    const { entry, files } = generator({ assets: () => "fw:assets/web" })(notes);
    const [, local] = /assets as (\w+) /.exec(files.get(entry) ?? "") ?? [];
    expect(files.get(entry)).toContain(`assets: ${local},`);
  });

  test("decodes and encodes 64-bit integers exactly", () => {
    const { endpoints, match } = run(generator()(shop));
    const params: string[] = [];
    const generated = endpoints[match("POST", "/orders/9007199254740993/pay", params)];
    expect(generated?.exactIntegers).toBe(true);
    const body = { payment: { by: "invoice", days: 30 }, amount: 9007199254740993n };
    expect(generated?.decode({ params, query: "", body, form: undefined, fields: undefined })).toEqual({
      ...body,
      id: 9007199254740993n,
    });
    expect(generated?.encode?.({ balance: 9007199254740993n })).toBe('{"balance":9007199254740993}');
    expect(
      endpoints
        .filter((other) => other !== generated)
        .every((other) => other.encode === undefined && !other.exactIntegers),
    ).toBe(true);
  });
});

describe("who may sign in, and who may do what", () => {
  const { auth, secrets, endpoints } = run(generator()(club));

  test("sessions come from the providers of any Auth, and every role and secret is named once, in order", () => {
    expect(auth).toEqual({ social: true, password: true, roles: ["editor", "owner"] });
    expect(secrets).toEqual(["MAIL_KEY", "MAP_KEY"]);
  });

  test("an endpoint holds its policy, of whatever package, and the name that it has", () => {
    const editors = { declaration: { declared: "access/policies.ts IsEditor" }, name: "IsEditor" };
    const verified = { declaration: { declared: "club/club.ts Verified" }, name: "Verified" };
    expect(endpoints.map(({ route, signIn, allow }) => [route, signIn, allow])).toEqual([
      ["GET /", false, undefined],
      ["GET /me", true, undefined],
      ["POST /", true, editors],
      ["POST /me", true, verified],
      ["DELETE /", true, editors],
    ]);
  });

  test("a package that is served alone reaches the policies of others", () => {
    const alone = generator()({ ...club, packages: club.packages.slice(1) });
    expect(alone.exposed.get("access/policies.ts")).toEqual(["IsEditor"]);
    expect(run(alone).endpoints[2]?.allow?.name).toBe("IsEditor");
  });

  test("an application without an Auth, roles or secrets has none", () => {
    expect(run(generator()(shop))).not.toHaveProperty("auth");
    expect(run(generator()(shop))).not.toHaveProperty("secrets");
  });
});

const schema = (type: "int" | "string"): App["types"] => ({
  "a.ts#A": { kind: "object", fields: [field("x", { kind: type })] },
});
const uses = (variable: string, module: string, type?: string): Endpoint =>
  endpoint(
    `POST /${variable}`,
    variable,
    { request: request({ body: type === undefined ? [] : [field("v", { kind: "ref", id: type })] }) },
    module,
  );
const make = (endpoints: readonly Endpoint[], types: App["types"]): App => ({
  name: "x",
  packages: [{ name: "x", dir: "", service: "x", declarations: [...endpoints] }],
  types,
});

describe("after a change", () => {
  test("modules whose endpoints and types are the same objects keep their text", () => {
    const generate = generator();
    const [a, b] = [uses("a", "a.ts", "a.ts#A"), uses("b", "b.ts")];
    const before = generate(make([a, b], schema("int")));
    const after = generate(make([a, { ...b, settings: { signIn: true, private: false } }], schema("string")));
    expect(after.files.get(endpointsSpecifier("a.ts"))).not.toBe(before.files.get(endpointsSpecifier("a.ts")));
    expect(after.files.get(endpointsSpecifier("a.ts"))).toMatch('typeof f0 === "string"');
    expect(after.files.get(endpointsSpecifier("b.ts"))).toMatch("signIn: true");
    expect(after.files.get("fw:routes")).toBe(before.files.get("fw:routes"));
  });

  test("a type that changed reaches every module that uses it", () => {
    const generate = generator();
    const app = [uses("a", "a.ts", "a.ts#A"), uses("b", "b.ts", "a.ts#A"), uses("c", "c.ts")];
    const before = generate(make(app, schema("int"))).files;
    const after = generate(make(app, schema("string"))).files;
    const changed = [...after.keys()].filter((specifier) => before.get(specifier) !== after.get(specifier));
    expect(changed).toEqual([endpointsSpecifier("a.ts"), endpointsSpecifier("b.ts")]);
  });

  test("a route that went away is not matched any more", () => {
    const generate = generator();
    const [a, b] = [uses("a", "a.ts"), uses("b", "b.ts")];
    expect(run(generate(make([a, b], {}))).match("POST", "/b", [])).toBe(1);
    expect(run(generate(make([a], {}))).match("POST", "/b", [])).toBe(-1);
  });
});
