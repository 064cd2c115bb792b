import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { kinds } from "../packages/fw/src/model/kinds.ts";
import { drawnWingImports, layerRows, permits, wingRows, type Permission } from "./support/architecture-page.ts";
import { strongComponents } from "./support/components.ts";
import { crowdedFunctions } from "./support/crowded-functions.ts";
import { importsOf, relativeImports, root, source, sourceFiles, type When } from "./support/source-imports.ts";

const fakeCloud = join(root, "packages/fake-cloud/src");
const layers = layerRows();
const wings = wingRows();

test("imports between layers run the way ARCHITECTURE.md says", () => {
  const permissions = new Map(layers.map(({ layer, permission }) => [layer, permission]));
  expect(forbiddenImports(sourceImports(), layerOf, permissions)).toEqual([]);
});

test("every folder of the source is a layer of ARCHITECTURE.md", () => {
  const folders = new Set(sourceFiles().map(layerOf));
  expect([...folders].toSorted()).toEqual(layers.map(({ layer }) => layer).toSorted());
});

const wingPermissions = new Map(wings.map(({ wing, permission }) => [wing, permission]));

test("imports between wings run the way ARCHITECTURE.md says", () => {
  expect(forbiddenImports(sourceImports(), wingOf, wingPermissions)).toEqual([]);
});

test.each([
  { from: "lib/names.ts", to: "runtime/call.ts", when: "typed", wrong: "(language) imports runtime/call.ts (run)" },
  { from: "lsp/server.ts", to: "runtime/call.ts", when: "loaded", wrong: "(compile) imports runtime/call.ts (run)" },
  { from: "runtime/call.ts", to: "deploy/plan.ts", when: "run", wrong: "(run) imports deploy/plan.ts (cloud)" },
] as const)("$from must not import $to from another wing", ({ from, to, when, wrong }) => {
  const example = { file: join(source, from), target: join(source, to), when };
  expect(forbiddenImports([example], wingOf, wingPermissions)).toEqual([`${from} ${wrong}`]);
});

test("each layer of ARCHITECTURE.md is in one wing, which may import what the layer may", () => {
  expect(wings.flatMap((wing) => wing.layers).toSorted()).toEqual(layers.map(({ layer }) => layer).toSorted());
  const wider = layers.flatMap(({ layer, permission }) => {
    const wing = wingOfLayer(layer);
    const wingPermission = wingPermissions.get(wing);
    if (permission.everything) return wingPermission?.everything ? [] : [`${layer} (${wing}) imports everything`];
    return [...permission.layers]
      .filter(([to, limits]) => {
        const target = wingOfLayer(to);
        return target !== wing && !limits.every((when) => permits(wingPermission, target, when));
      })
      .map(([to]) => `${layer} (${wing}) imports ${to} (${wingOfLayer(to)})`);
  });
  expect(wider).toEqual([]);
});

test("the drawing of ARCHITECTURE.md has the arrows of its table of wings", () => {
  const names = wings.map(({ wing }) => wing);
  const arrows = wings.flatMap(({ wing, permission }) =>
    names
      .filter((to) => to !== wing && permits(permission, to, "typed"))
      .map((to) => `${wing} ${permits(permission, to, "loaded") ? "-->" : "-.->"} ${to}`),
  );
  expect(drawnWingImports().toSorted()).toEqual(arrows.toSorted());
});

test("only the checker imports TypeScript", () => {
  const importers = sourceFiles().filter((file) => importsOf(file).some((i) => i.specifier.startsWith("typescript")));
  const others = importers.map((file) => relative(source, file)).filter((file) => !isChecker(file));
  expect(importers.length).toBeGreaterThan(0);
  expect(others).toEqual([]);
});

test("one server answers every port, so that all have one guard and one set of limits", () => {
  const servers = sourceFiles().filter((file) =>
    /import \{[^}]*\bcreateServer\b[^}]*\} from "node:(?:http|https|http2)"/.test(readFileSync(file, "utf8")),
  );
  expect(servers.map((file) => relative(source, file))).toEqual([join("runtime", "server.ts")]);
});

test("fw sends no email: all that it connects to speaks HTTP", () => {
  const sockets =
    /import \{[^}]*\b(?:connect|createConnection|Socket)\b[^}]*\} from "node:(?:net|tls)"|"node:(?:tls|dgram|http2)"/;
  const values = (file: string): string => readFileSync(file, "utf8").replaceAll(/^import type .*$|\btype \w+/gm, "");
  const connecting = sourceFiles().filter((file) => sockets.test(values(file)));
  expect(connecting.map((file) => relative(source, file))).toEqual([join("topology", "relay.ts")]);
});

test("modules of fw are found in one place, for processes load them bundled from other directories", () => {
  const files = sourceFiles().filter((file) => /new URL\([^()]*, import\.meta\.url\)/.test(readFileSync(file, "utf8")));
  expect(files.map((file) => relative(source, file))).toEqual([join("lib", "own-modules.ts")]);
});

test("nothing that waits for work uses fetch, which gives up after five minutes", () => {
  // The harness acts as a test's browser.
  const files = sourceFiles().filter((file) => layerOf(file) !== "harness");
  const users = files.filter((file) => /(?<![\w.#])fetch\(/.test(readFileSync(file, "utf8")));
  expect(users.map((file) => relative(source, file))).toEqual([
    // Shows the response of a route, with a limit of one minute.
    join("console", "call-as.ts"),
    // Loads the console's page, with a limit of one minute.
    join("cli", "mcp", "dev-server.ts"),
    // Checks whether a server answers, for at most a minute.
    join("cli", "run", "answers.ts"),
    // Runs in the browser.
    join("runtime", "live", "script.ts"),
    join("runtime", "auth", "provider", "script.ts"),
    // Each attempt lasts at most a minute, and a download resumes where the last one ended.
    join("platform", "postgres", "objects", "s3", "client.ts"),
  ]);
});

/** The packages whose imports are checked for cycles. */
const cycleFree = [
  { name: "fw", folder: source },
  { name: "fake-cloud", folder: fakeCloud },
];

test.each(cycleFree)("no file needs itself to be loaded: $name", ({ folder }) => {
  expect(strongComponents(importGraph(folder, (when) => when === "loaded"))).toEqual([]);
});

test.each(cycleFree)("at most three files import one another in a circle, types included: $name", ({ folder }) => {
  const circles = strongComponents(importGraph(folder, (when) => when !== "run")).map((files) =>
    files.map((file) => relative(folder, file)),
  );
  expect(circles.filter(({ length }) => length > 3)).toEqual([]);
});

test("what reads and answers requests is one implementation of an exchange, and nothing else names node's", () => {
  const httpImporters = sourceFiles().filter((file) =>
    importsOf(file).some(({ specifier }) => specifier === "node:http"),
  );
  const ofRuntime = httpImporters
    .map((file) => relative(source, file))
    .filter((file) => file.startsWith(join("runtime", "")));
  // Calls to other services use Node's client, and the console records what handlers send with it.
  const clients = [join("runtime", "remote", ""), join("runtime", "observe", "outgoing", "")];
  const others = ofRuntime.filter((file) => !clients.some((client) => file.startsWith(client)));
  expect(others.filter((file) => !file.startsWith(join("runtime", "exchange", "node", "")))).toEqual([
    join("runtime", "server.ts"),
  ]);
});

/** A file that mentions more declaration kinds than this must be in the recipe for a new kind in CONTRIBUTING.md. */
const fewKinds = 8;

test("what knows many kinds of declarations is what CONTRIBUTING.md has for another one", () => {
  const [, recipe = ""] =
    /^- \*\*A declaration kind\*\*(.*?)^- /ms.exec(readFileSync(join(root, "CONTRIBUTING.md"), "utf8")) ?? [];
  const recipeFiles = new Set(Array.from(recipe.matchAll(/`([a-z][\w/-]*\.ts)`/g), ([, file]) => file));
  const kindPatterns = Object.entries(kinds).map(([kind, { functions }]) => {
    return new RegExp(`"${kind}"|\\b(?:Parsed|Bundled)?(?:${functions.join("|")})(?:Declaration)?\\b`);
  });
  const many = sourceFiles().filter((file) => {
    const code = readFileSync(file, "utf8").replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, "");
    return kindPatterns.filter((kind) => kind.test(code)).length > fewKinds;
  });
  expect(many.length).toBeGreaterThan(0);
  expect(
    many.map((file) => relative(source, file).split(sep).join("/")).filter((file) => !recipeFiles.has(file)),
  ).toEqual([]);
});

/** The maximum number of `const`s that a reader can keep in mind at once. */
const mostConstants = 7;

test("a function has at most seven constants", () => {
  const crowded = sourceFiles().flatMap((file) =>
    Array.from(crowdedFunctions(file, mostConstants), ([name, count]) => `${sourcePath(file)} ${name}: ${count}`),
  );
  expect(crowded).toEqual([]);
});

/** The import order inside a layer: files and folders in a line may import earlier lines, never later ones. */
const order: Readonly<Record<string, readonly (readonly string[])[]>> = {
  declare: [
    // Values.
    [
      "binding",
      "blob",
      "brand",
      "declaration-records",
      "byte-size",
      "duration",
      "evolution",
      "errors",
      "event",
      "events",
      "html",
      "raw",
      "redirect",
      "reply",
      "role",
      "route-rules",
      "scaling",
      "secret",
      "slot",
      "user",
    ],
    ["context", "tenant"],
    // Options of handlers.
    ["delivery", "policy", "route-config", "run"],
    // Declarations that other declarations refer to.
    ["endpoint", "job", "queue"],
    [""],
    ["host", "index"],
  ],
  runtime: [
    // Shared by all other files.
    [
      "capabilities",
      "error-messages",
      "message-texts",
      "bundle",
      "places",
      "settings",
      "hooks",
      "secrets",
      "decode/",
      "exchange/",
      "response-draft",
      "observe/",
      "page/template-runtime",
      "background/sleep",
      "page/htmx",
    ],
    // The application's parts, and their ports.
    [
      "application",
      "access/",
      "auth/kinds",
      "auth/roles",
      "auth/session-document",
      "auth/sessions",
      "auth/stale-sessions",
      "auth/user",
      "auth/sign-in-flow",
      "background/authenticate-platform",
      "remote/directory",
      "routing/called-endpoint",
      "site/",
    ],
    // The request and its user.
    [
      "context",
      "context-ports",
      "live/reads",
      "request",
      "auth/authentication",
      "request-context",
      "auth/identify",
      "auth/cookie",
      "auth/claim",
      "auth/authenticator-credentials",
      "auth/authenticator",
      "body/fields",
      "calls/origin",
      "calls/call-context",
      "entity/transaction-context",
    ],
    // The request's body and its response.
    [
      "response/",
      "mount/",
      "page/",
      "blob/",
      "body/",
      "site/serve",
      "access/csrf",
      "access/gate",
      "routing/route",
      "auth/policy",
      "submit/",
      "tenant/",
      "live/",
    ],
    // Operations of handlers and of the framework's own endpoints.
    [
      "auth/",
      "background/",
      "entity/",
      "bucket/",
      "limit/",
      "remote/",
      "calls/",
      "signed/",
      "routing/",
      "call",
      "live/live-page",
      "observe/metric-operations",
      "observe/metrics/collect",
      "observe/metrics/scrape",
      "observe/outgoing/",
    ],
    [""],
  ],
};
test.each(Object.keys(order))("imports inside of %s run one way", (layer) => {
  const levelOf = (file: string): number => {
    const path = relative(join(source, layer), file).split(sep).join("/");
    const prefixes = (order[layer] ?? []).flatMap((line, level) => line.map((prefix) => ({ prefix, level })));
    const holding = prefixes.filter(({ prefix }) =>
      /^$|\/$/.test(prefix) ? path.startsWith(prefix) : path === `${prefix}.ts`,
    );
    return holding.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.level ?? -1;
  };
  const wrong = sourceFiles()
    .filter((file) => layerOf(file) === layer)
    .flatMap((file) => relativeImports(file).map(({ specifier }) => [file, join(dirname(file), specifier)] as const))
    .filter(([from, to]) => layerOf(to) === layer && levelOf(to) > levelOf(from));
  expect(wrong.map((pair) => pair.map((file) => relative(source, file)).join(" imports "))).toEqual([]);
});

/** Returns the files of a folder, each with its imports that `counts` accepts. */
function importGraph(folder: string, counts: (when: When) => boolean): Map<string, string[]> {
  const targets = (file: string): string[] =>
    relativeImports(file)
      .filter(({ when }) => counts(when))
      .map(({ specifier }) => join(dirname(file), specifier));
  return new Map(sourceFiles(folder).map((file) => [file, targets(file)]));
}

/** True for files of the adapter to TypeScript's server. */
function isChecker(file: string): boolean {
  return file.startsWith(join("analysis", "checker", ""));
}

interface SourceImport {
  readonly file: string;
  /** The imported file. */
  readonly target: string;
  readonly when: When;
}

function sourceImports(): SourceImport[] {
  return sourceFiles().flatMap((file) =>
    relativeImports(file).map(({ specifier, when }) => ({ file, target: join(dirname(file), specifier), when })),
  );
}

/** Lists imports between groups of files, such as layers, that the importing group's permission does not include. */
function forbiddenImports(
  imports: readonly SourceImport[],
  groupOf: (file: string) => string,
  permissions: ReadonlyMap<string, Permission>,
): string[] {
  return imports.flatMap(({ file, target, when }) => {
    const [from, to] = [groupOf(file), groupOf(target)];
    if (from === to || permits(permissions.get(from), to, when)) return [];
    return [`${sourcePath(file)} (${from}) imports ${sourcePath(target)} (${to})`];
  });
}

/**
 * Returns the layer with the longest folder that contains the file, or the top folder's name if no layer contains it.
 */
function layerOf(file: string): string {
  const path = sourcePath(file);
  const matches = layers.filter(({ folder }) => path.startsWith(folder));
  return matches.toSorted((a, b) => b.folder.length - a.folder.length)[0]?.layer ?? path.split("/")[0] ?? "";
}

function wingOf(file: string): string {
  return wingOfLayer(layerOf(file));
}

function wingOfLayer(layer: string): string {
  return wings.find((wing) => wing.layers.includes(layer))?.wing ?? layer;
}

function sourcePath(file: string): string {
  return relative(source, file).split(sep).join("/");
}
