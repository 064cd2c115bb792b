import { BundleError, buildServices, type BuiltService } from "../../build/build.ts";
import { BundleMemo } from "../../build/memo.ts";
import type { App, SiteDeclaration } from "../../model/app.ts";
import type { EntryUses } from "../../model/uses.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { Refusal } from "../command.ts";

/** An application whose services are bundled. */
export interface BuiltApp {
  readonly app: App;
  readonly uses: readonly EntryUses[];
  readonly services: readonly BuiltService[];
}

/** Bundles the services of an application, and again those that changes concern. */
export class AppBuilder {
  readonly #workspace: Workspace;
  #memo = new BundleMemo();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Bundles what was read last, in which nothing is wrong. Rejects with a Refusal where a service cannot be bundled. */
  async build(app: App): Promise<BuiltApp> {
    const workspace = this.#workspace;
    const uses = await workspace.uses();
    const { root, sources } = workspace;
    try {
      const input = { root, app, uses, sources, templates: (site: SiteDeclaration) => workspace.templates(site) };
      return { app, uses, services: await buildServices(input, this.#memo) };
    } catch (error) {
      throw error instanceof BundleError ? new Refusal(error.message) : error;
    }
  }

  /** Begins anew: what modules mean changed. */
  forget(): void {
    this.#memo = new BundleMemo();
  }
}
