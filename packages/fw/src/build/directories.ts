import { join } from "node:path";

/** The directory of a build, relative to the application's directory. */
export const buildDirectory: string = join(".fw", "build");

/** The directory of a site's files, relative to its service's directory. */
export const siteDirectory = "site";
