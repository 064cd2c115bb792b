import { join } from "node:path";

/** Where a build is, below the application's directory. */
export const buildDirectory: string = join(".fw", "build");

/** The directory of a site's files in its service's. */
export const siteDirectory = "site";
