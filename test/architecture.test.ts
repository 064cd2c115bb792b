import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { kinds } from "../packages/fw/src/model/kinds.ts";
import { strongComponents } from "./support/components.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages/fw/src");
const fakeCloud = join(root, "packages/fake-cloud/src");
const rows = tableRows();

test("imports between layers run the way ARCHITECTURE.md says", () => {
  const allowed = layersTable();
  const wrong: string[] = [];
  for (const file of sourceFiles()) {
    const from = layerOf(file);
    for (const { specifier, when } of relativeImports(file)) {
      const to = layerOf(join(dirname(file), specifier));
      if (from === to || permits(allowed.get(from), to, when)) continue;
      wrong.push(`${relative(root, file)} (${from}) imports ${specifier} (${to})`);
    }
  }
  expect(wrong).toEqual([]);
});

test("every folder of the source is a layer of ARCHITECTURE.md", () => {
  const layers = new Set(sourceFiles().map(layerOf));
  expect([...layers].toSorted()).toEqual([...layersTable().keys()].toSorted());
});

test("only the checker imports TypeScript", () => {
  const importers = sourceFiles().filter((file) => imports(file).some((i) => i.specifier.startsWith("typescript")));
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
  expect(sourceFiles().filter((file) => sockets.test(values(file)))).toEqual([]);
});

test("modules of fw are found in one place, for the command line is bundled into another directory", () => {
  const files = sourceFiles().filter((file) => /new URL\([^()]*, import\.meta\.url\)/.test(readFileSync(file, "utf8")));
  expect(files.map((file) => relative(source, file)).toSorted()).toEqual([
    // What the application's process loads is not bundled.
    join("dev", "child", "stack.ts"),
    join("lib", "own-modules.ts"),
  ]);
});

test("nothing that waits for work uses fetch, which gives up after five minutes", () => {
  // The harness is the browser of a test.
  const files = sourceFiles().filter((file) => layerOf(file) !== "harness");
  const users = files.filter((file) => /(?<![\w.#])fetch\(/.test(readFileSync(file, "utf8")));
  expect(users.map((file) => relative(source, file))).toEqual([
    // It shows what a route answers within a minute.
    join("console", "call-as.ts"),
    // It loads the console's page within a minute.
    join("cli", "mcp", "dev-server.ts"),
    // It asks whether a server answers at all, for a minute.
    join("cli", "run", "answers.ts"),
    // A browser runs it.
    join("runtime", "auth", "provider", "script.ts"),
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
  const named = sourceFiles().filter((file) => imports(file).some(({ specifier }) => specifier === "node:http"));
  const ofRuntime = named.map((file) => relative(source, file)).filter((file) => file.startsWith(join("runtime", "")));
  // Calls of other services are node's client.
  const others = ofRuntime.filter((file) => !file.startsWith(join("runtime", "remote", "")));
  expect(others.filter((file) => !file.startsWith(join("runtime", "exchange", "node", "")))).toEqual([
    join("runtime", "server.ts"),
  ]);
});

/** Kinds of declarations that a file may know without being one that a new kind concerns. */
const fewKinds = 8;

test("what knows many kinds of declarations is what CONTRIBUTING.md has for another one", () => {
  const [, recipe = ""] =
    /^- \*\*A declaration kind\*\*(.*?)^- /ms.exec(readFileSync(join(root, "CONTRIBUTING.md"), "utf8")) ?? [];
  const told = new Set(Array.from(recipe.matchAll(/`([a-z][\w/-]*\.ts)`/g), ([, file]) => file));
  const known = Object.entries(kinds).map(([kind, { functions }]) => {
    return new RegExp(`"${kind}"|\\b(?:Parsed|Bundled)?(?:${functions.join("|")})(?:Declaration)?\\b`);
  });
  const many = sourceFiles().filter((file) => {
    const code = readFileSync(file, "utf8").replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, "");
    return known.filter((kind) => kind.test(code)).length > fewKinds;
  });
  expect(many.length).toBeGreaterThan(0);
  expect(many.map((file) => relative(source, file).split(sep).join("/")).filter((file) => !told.has(file))).toEqual([]);
});

/** What may be imported inside of a layer: each line names the files and folders that know those before it, and none after it. */
const order: Readonly<Record<string, readonly (readonly string[])[]>> = {
  declare: [
    // What a value is.
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
    ["context"],
    // What is said beside a handler.
    ["delivery", "policy", "route-config"],
    // What other declarations are made for.
    ["endpoint", "job", "queue"],
    [""],
    ["host", "index"],
  ],
  runtime: [
    // Words that everything may use.
    [
      "capabilities",
      "error-messages",
      "message-texts",
      "bundle",
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
    // What an application is made of, and what its parts are as ports.
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
      "routing/injected-path",
      "site/",
    ],
    // A request, and whose it is.
    [
      "context",
      "context-ports",
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
    // What it carries, and how it is answered.
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
    ],
    // What handlers and the framework's own endpoints do.
    [
      "auth/",
      "background/",
      "entity/",
      "bucket/",
      "remote/",
      "calls/",
      "signed/",
      "routing/",
      "call",
      "observe/metric-operations",
      "observe/metrics/collect",
      "observe/metrics/scrape",
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

/** Each file of the source with those that it imports so. */
function importGraph(folder: string, counts: (when: When) => boolean): Map<string, string[]> {
  const targets = (file: string): string[] =>
    relativeImports(file)
      .filter(({ when }) => counts(when))
      .map(({ specifier }) => join(dirname(file), specifier));
  return new Map(sourceFiles(folder).map((file) => [file, targets(file)]));
}

/** The adapter to the compiler's server. */
function isChecker(file: string): boolean {
  return file.startsWith(join("analysis", "checker", ""));
}

interface Row {
  readonly layer: string;
  readonly folder: string;
  readonly permission: Permission;
}

interface Permission {
  readonly everything: boolean;
  readonly layers: ReadonlyMap<string, readonly When[]>;
}

/** Layer to what it may import. */
function layersTable(): Map<string, Permission> {
  return new Map(tableRows().map((row) => [row.layer, row.permission]));
}

/** The rows of ARCHITECTURE.md's table. */
function tableRows(): Row[] {
  return readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    .split("\n")
    .map((line) => /^\| (\S+) +\| `([^`]+)`[^|]*\|([^|]+)\|$/.exec(line.trim()))
    .filter((row) => row !== null)
    .map(([, layer = "", folder = "", cell = ""]) => ({ layer, folder, permission: permission(cell.trim()) }));
}

function permission(cell: string): Permission {
  if (cell === "everything") return { everything: true, layers: new Map() };
  if (cell === "nothing") return { everything: false, layers: new Map() };
  const layers = cell.split(",").map((item): [string, readonly When[]] => {
    const [, layer = "", limit] = /^(\S+)(?: \((.+)\))?$/.exec(item.trim()) ?? [];
    return [layer, whenOf(limit)];
  });
  return { everything: false, layers: new Map(layers) };
}

function whenOf(limit: string | undefined): readonly When[] {
  switch (limit) {
    case undefined:
      return ["loaded", "typed", "run"];
    case "types only":
      return ["typed"];
    case "when run":
      return ["run"];
    default:
      throw new Error(`ARCHITECTURE.md limits imports to "${limit}", which this test does not know`);
  }
}

function permits(permission: Permission | undefined, layer: string, when: When): boolean {
  if (permission === undefined) return false;
  return permission.everything || (permission.layers.get(layer) ?? []).includes(when);
}

function sourceFiles(folder = source): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.split(sep).includes("testing"))
    .map((file) => join(folder, file));
}

/** The layer whose folder holds the file; of two, the longer; a folder without a row stands for itself. */
function layerOf(file: string): string {
  const path = relative(source, file).split(sep).join("/");
  const holding = rows.filter((row) => path.startsWith(row.folder));
  return holding.toSorted((a, b) => b.folder.length - a.folder.length)[0]?.layer ?? path.split("/")[0] ?? "";
}

/** What makes a file import another: its loading, its types alone, or its code, by `import()`. */
type When = "loaded" | "typed" | "run";

interface Import {
  readonly specifier: string;
  readonly when: When;
}

function relativeImports(file: string): Import[] {
  return imports(file).filter((i) => i.specifier.startsWith("."));
}

function imports(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const { module } = parseSync(file, text);
  const when = (typeOnly: boolean): When => (typeOnly ? "typed" : "loaded");
  const imported = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    when: when(entries.length > 0 && entries.every((entry) => entry.isType)),
  }));
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, when: when(isType) }],
    ),
  );
  const run = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^"(.+)"$/.exec(text.slice(start, end))?.[1];
    return literal === undefined ? [] : [{ specifier: literal, when: "run" as const }];
  });
  return [...imported, ...exported, ...run];
}
