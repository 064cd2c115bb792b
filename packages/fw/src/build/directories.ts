import { join } from "node:path";

/** The directory of a build, below the application's directory. */
export const buildDirectory: string = join(".fw", "build");

/** The directory of a site's files, below its service's directory. */
export const siteDirectory = "site";
