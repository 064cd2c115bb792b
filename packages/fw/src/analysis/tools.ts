import type { App, DeclarationKey } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../model/declarations.ts";
import type { McpFacts, ToolHints } from "../model/mcp.ts";
import type { DeclaredModule } from "./declared.ts";
import { docOf } from "./descriptions.ts";
import { isSameData } from "./incremental/same-data.ts";
import { aboutApp } from "./modules/app-name.ts";
import type { Project } from "./source/project.ts";
import type { UsesReader } from "./uses/index.ts";
import { endpointOf } from "../model/resources.ts";
import type { EntryUses, Use } from "../model/uses.ts";

/** Describes the tools of MCP servers: their doc comments, and hints about what their code does. */
export class ToolReader {
  readonly #project: Project;
  readonly #uses: UsesReader;
  #last: { readonly app: App; readonly described: App } | undefined;

  constructor(project: Project, uses: UsesReader) {
    this.#project = project;
    this.#uses = uses;
  }

  /** Adds descriptions and hints to the model of an application with an MCP server; the same object if unchanged. */
  describe(app: App, modules: readonly DeclaredModule[]): App {
    const servers = allOfKind(app.packages, "mount").filter(({ tools }) => tools !== undefined);
    if (servers.length === 0) return app;
    const keys = [...servers.map(({ declaration }) => declaration), ...servers.flatMap(({ tools = [] }) => tools)];
    const mcp = this.#facts(app, modules, keys);
    if (this.#last?.app !== app || !isSameData(this.#last.described.mcp, mcp))
      this.#last = { app, described: { ...app, mcp } };
    return this.#last.described;
  }

  #facts(app: App, modules: readonly DeclaredModule[], declarations: readonly DeclarationKey[]): McpFacts {
    const { version } = aboutApp(this.#project.root);
    const hintsOf = toolHints(app, this.#uses.read(app, modules));
    const facts = declarations.map((declaration) => {
      const key = declarationKey(declaration);
      return { key, doc: docOf(this.#project, declaration), hints: hintsOf(key) };
    });
    return {
      ...(version !== undefined && { version }),
      docs: Object.fromEntries(facts.flatMap(({ key, doc }) => (doc === undefined ? [] : [[key, doc]]))),
      hints: Object.fromEntries(facts.flatMap(({ key, hints }) => (hints === undefined ? [] : [[key, hints]]))),
    };
  }
}

/** The effect of an operation on data; adding cannot destroy existing data. */
type Effect = "reads" | "adds";

/** The operations that read or add, by kind of resource; all others may change or delete existing data. */
const effects: Readonly<Record<Use["kind"], Readonly<Record<string, Effect>>>> = {
  entity: { count: "reads", find: "reads", get: "reads", getMany: "reads", query: "reads", create: "adds" },
  bucket: { exists: "reads", get: "reads", list: "reads", signedGet: "reads" },
  users: {
    byEmail: "reads",
    get: "reads",
    list: "reads",
    "tokens.list": "reads",
    create: "adds",
    "tokens.create": "adds",
  },
  secret: { value: "reads" },
  queue: { send: "adds" },
  topic: { publish: "adds" },
  job: { get: "reads", list: "reads", start: "adds" },
  limit: { take: "reads" },
  feed: { events: "reads", followPresence: "reads", join: "reads", presence: "reads", publish: "adds" },
  // A call changes nothing itself; `reachedUses` adds the uses of the called endpoint.
  endpoint: { call: "reads" },
};

/** Returns a function that derives the hints about a tool from what its code can reach and from its HTTP method. */
function toolHints(app: App, uses: readonly EntryUses[]): (tool: string) => ToolHints | undefined {
  const byEntry = new Map(uses.map((entry) => [declarationKey(entry), entry.uses]));
  const all = app.packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ pkg, endpoint })));
  const byName = new Map(all.map(({ pkg, endpoint }) => [endpointOf(pkg, endpoint).name, endpoint.declaration]));
  const methods = new Map(all.map(({ endpoint }) => [declarationKey(endpoint.declaration), endpoint.route.method]));
  return (tool) => {
    const method = methods.get(tool);
    return method === undefined ? undefined : hintsOf(method, reachedUses(tool, byEntry, byName));
  };
}

/** Returns the uses of an endpoint and of all endpoints that it calls, directly or indirectly, in any service. */
function reachedUses(
  tool: string,
  byEntry: ReadonlyMap<string, readonly Use[]>,
  byName: ReadonlyMap<string, Parameters<typeof declarationKey>[0]>,
): readonly Use[] {
  const entries = new Set([tool]);
  for (const entry of entries) {
    const called = (byEntry.get(entry) ?? []).filter(({ kind }) => kind === "endpoint");
    for (const declaration of called.flatMap(({ name }) => byName.get(name) ?? []))
      entries.add(declarationKey(declaration));
  }
  return [...entries].flatMap((entry) => byEntry.get(entry) ?? []);
}

function hintsOf(method: string, uses: readonly Use[]): ToolHints {
  const reachedEffects = new Set(uses.map(({ kind, operation }) => effects[kind][operation]));
  const isReading = ![...reachedEffects].some((effect) => effect !== "reads");
  if (method === "GET" && isReading) return { readOnlyHint: true };
  // Code that changes no declared resource may still change something elsewhere.
  const isAdding = method === "POST" && reachedEffects.has("adds") && !reachedEffects.has(undefined);
  return {
    readOnlyHint: false,
    destructiveHint: !isAdding,
    idempotentHint: method === "GET" || method === "PUT" || method === "DELETE",
  };
}
