import type { App, SiteDeclaration } from "../model/app.ts";
import type { Specifiers } from "./endpoint-module.ts";
import type { Remote } from "./remote-module.ts";

/** How generated modules reach what they import. */
export interface GenerateOptions extends Partial<Specifiers> {
  /** The module that exports a site's compiled `templates`; undefined where it has none. */
  readonly templates?: (site: SiteDeclaration) => string | undefined;
  /** The module that exports the table of a site's files as `assets`; undefined to serve its directory as it is. */
  readonly assets?: (site: SiteDeclaration) => string | undefined;
  /** True where the site's templates or the application's code may render markdown; its libraries are then loaded before the first request. */
  readonly markdown?: (site: SiteDeclaration) => boolean;
  /** The directory that the runtime serves; the declared one, relative to the application's root, by default. */
  readonly siteDir?: (site: SiteDeclaration) => string;
  /** The application of which only a part is generated: its runners say how many tasks a job has. */
  readonly whole?: App;
  /** Endpoints of other services that the part calls. */
  readonly remotes?: readonly Remote[];
}
