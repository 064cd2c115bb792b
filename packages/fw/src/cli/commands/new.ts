import { command, type Command } from "../command.ts";
import type { IO } from "../io.ts";
import { packageManagers, type PackageManager } from "../new/package-manager.ts";
import { templates } from "../new/templates.ts";

/** `fw new`. */
export const newApplication: Command = command({
  name: "new",
  summary: "make an application that runs, with a test and what an editor and a workflow need",
  details: [
    "Writes a small application into the directory, which is made where it is not there, and installs it. Nothing is asked, and no file that is there is changed.",
    "The templates: api is a JSON API over an entity; pages a site with a page, a form and an entity; full both, with sign-in, a role, a queue, a cron and a metric.",
    'The fw that makes the application is packed into its vendor/ directory, and is what package.json names ("file:vendor/…"). The package that is called "fw" on the npm registry is another one.',
  ],
  arguments: [{ name: "dir", summary: "where to; . is the current directory" }],
  options: {
    template: { value: "<name>", short: "t", choices: templates, summary: "api, pages or full (default pages)" },
    "package-manager": {
      value: "<name>",
      choices: Object.keys(packageManagers),
      summary: "npm, pnpm or yarn (default the one that runs this, else npm)",
    },
    "no-install": { summary: "write files only" },
  },
  examples: [
    { line: "fw new shop", says: "a site with a page and a form, in ./shop" },
    { line: "fw new . --template api", says: "an API, in this directory" },
    { line: "fw new club --template full --package-manager pnpm", says: "one of everything, installed by pnpm" },
  ],
  async run(options, io, args) {
    const { makeApplication } = await import("../new/make.ts");
    const { template = "pages", packageManager = running(io) } = options;
    const manager = packageManager as PackageManager;
    return makeApplication({ dir: args.dir, template, manager, install: !options.noInstall }, io);
  },
});

/** The package manager that has started this process says so in the environment. */
function running({ env }: IO): PackageManager {
  const name = /^[a-z]+/.exec(env.npm_config_user_agent ?? "")?.[0] ?? "";
  return Object.hasOwn(packageManagers, name) ? (name as PackageManager) : "npm";
}
