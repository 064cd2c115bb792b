import { BundleError, buildServices } from "../../build/build.ts";
import type { BuiltApp } from "../../build/manifest.ts";
import { BundleMemo } from "../../build/memo.ts";
import type { BuildPlatform } from "../../build/platform.ts";
import { counted } from "../../lib/counted.ts";
import type { App, SiteDeclaration } from "../../model/app.ts";
import { servicesOf } from "../../model/services.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { Refusal } from "../command.ts";
import type { Progress } from "../print/progress.ts";

/** Bundles the services of an application. Later builds bundle only services that have changed. */
export class AppBuilder {
  readonly #workspace: Workspace;
  readonly #platform: BuildPlatform;
  #memo: BundleMemo;

  constructor(workspace: Workspace, platform: BuildPlatform, memo: BundleMemo = new BundleMemo()) {
    this.#workspace = workspace;
    this.#platform = platform;
    this.#memo = memo;
  }

  /**
   * Bundles the most recently read application, which must have no problems. Rejects with a Refusal if a service cannot
   * be bundled.
   */
  async build(app: App, progress?: Progress): Promise<BuiltApp> {
    const workspace = this.#workspace;
    const platform = this.#platform;
    progress?.step("finding what each service uses");
    const uses = await workspace.analyzer.uses();
    const { root, sources } = workspace;
    try {
      const templates = (site: SiteDeclaration): ReturnType<Workspace["templates"]> => workspace.templates(site);
      progress?.step(`bundling ${counted(servicesOf(app).length, "service")}`);
      const bundling = (name: string): void => progress?.detail(name);
      const input = { root, app, platform, uses, sources, templates, bundling };
      return { app, platform, uses, services: await buildServices(input, this.#memo) };
    } catch (error) {
      throw error instanceof BundleError ? new Refusal(error.message) : error;
    }
  }

  /** Drops the cache of bundles, because a project file changed and modules may resolve differently. */
  forget(): void {
    this.#memo = new BundleMemo();
  }
}
