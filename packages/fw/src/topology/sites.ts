import { openSite, type SiteFiles } from "../runtime/site/files.ts";
import type { App, Package } from "../model/app.ts";
import { siteOf } from "../model/declarations.ts";
import type { Release } from "./release.ts";

interface Placed {
  readonly service: string;
  readonly files: SiteFiles;
}

/** Finds the service whose site has something at a path. */
export class Sites {
  readonly #placed: readonly Placed[];

  constructor({ packages }: App, releases: readonly Pick<Release, "name" | "site">[]) {
    this.#placed = packages.flatMap((pkg) => placed(pkg, releases));
  }

  /** The service with a file there, or with a redirect. */
  find(path: string): string | undefined {
    return this.#of(path)?.service;
  }

  /** The service with a file there whose name a route's parameter would take: the literal name beats the wildcard. */
  findNamed(path: string): string | undefined {
    if (path.lastIndexOf(".") < path.lastIndexOf("/")) return undefined;
    const found = this.#of(path);
    return found?.files.lookup(path, "")?.kind === "asset" ? found.service : undefined;
  }

  #of(path: string): Placed | undefined {
    return this.#placed.find(({ files }) => files.lookup(path, "") !== undefined);
  }
}

function placed(pkg: Package, releases: readonly Pick<Release, "name" | "site">[]): readonly Placed[] {
  const dir = releases.find(({ name }) => name === pkg.service)?.site;
  const site = siteOf(pkg);
  if (site === undefined || dir === undefined) return [];
  return [{ service: pkg.service, files: openSite({ dir, redirects: site.redirects }) }];
}
