import { openSite, type SiteFiles } from "../runtime/site/files.ts";
import type { App, Package } from "../model/app.ts";
import { siteOf } from "../model/declarations.ts";
import type { Release } from "./release.ts";

interface ServedSite {
  readonly service: string;
  readonly files: SiteFiles;
}

export class Sites {
  readonly #sites: readonly ServedSite[];

  constructor({ packages }: App, releases: readonly Pick<Release, "name" | "site">[]) {
    this.#sites = packages.flatMap((pkg) => openSites(pkg, releases));
  }

  /** Returns the service with a file or redirect at the path. */
  find(path: string): string | undefined {
    return this.#of(path)?.service;
  }

  /** Returns the service with a file that a route's parameter would match, too: a literal name takes precedence. */
  findNamed(path: string): string | undefined {
    if (path.lastIndexOf(".") < path.lastIndexOf("/")) return undefined;
    const site = this.#of(path);
    return site?.files.lookup(path, "")?.kind === "asset" ? site.service : undefined;
  }

  #of(path: string): ServedSite | undefined {
    return this.#sites.find(({ files }) => files.lookup(path, "") !== undefined);
  }
}

function openSites(pkg: Package, releases: readonly Pick<Release, "name" | "site">[]): readonly ServedSite[] {
  const dir = releases.find(({ name }) => name === pkg.service)?.site;
  const site = siteOf(pkg);
  if (site === undefined || dir === undefined) return [];
  return [{ service: pkg.service, files: openSite({ dir, redirects: site.redirects }) }];
}
