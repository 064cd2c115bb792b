import type { App, DeclarationKey } from "../model/app.ts";
import { allOfKind, declarationKey } from "../model/declarations.ts";
import type { McpFacts } from "../model/mcp.ts";
import { toolHints } from "../model/tool-hints.ts";
import type { DeclaredModule } from "./declared.ts";
import { docOf } from "./descriptions.ts";
import { isSameData } from "./incremental/same-data.ts";
import { aboutApp } from "./modules/app-name.ts";
import type { Project } from "./source/project.ts";
import type { UsesReader } from "./uses/index.ts";

/** Describes the tools of MCP servers: their doc comments, and hints about what their code does. */
export class ToolReader {
  readonly #project: Project;
  readonly #uses: UsesReader;
  #last: { readonly app: App; readonly described: App } | undefined;

  constructor(project: Project, uses: UsesReader) {
    this.#project = project;
    this.#uses = uses;
  }

  /** Adds the facts to an application with an MCP server. Returns the same object as before if nothing has changed. */
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
