import { command, type Command } from "../command.ts";
import type { IO } from "../io.ts";
import { packageManagers, type PackageManager } from "../new/package-manager.ts";
import { templates, templateSummaries } from "../new/templates.ts";

export const newApplication: Command = command({
  name: "new",
  summary: "create an application with a test, editor settings and a CI workflow",
  details: [
    "Writes a small application into a directory, which fw creates if needed, and installs its dependencies. Asks no questions and changes no existing file.",
    'fw packs itself into the vendor/ directory of the application, and package.json refers to that file ("file:vendor/…"). The package "fw" on the npm registry is unrelated.',
  ],
  arguments: [{ name: "dir", summary: "the directory to create; . is the current directory" }],
  options: {
    template: {
      value: "<name>",
      short: "t",
      choices: templates,
      choiceSummaries: templateSummaries,
      summary: "the application to start from (default pages)",
    },
    "package-manager": {
      value: "<name>",
      choices: Object.keys(packageManagers),
      summary: "npm, pnpm or yarn (default: the one that runs this command, else npm)",
    },
    "no-install": { summary: "only write files; install nothing" },
  },
  examples: [
    { line: "fw new shop", says: "create a site with a page and a form in ./shop" },
    { line: "fw new . --template api", says: "create an API in this directory" },
    {
      line: "fw new club --template full --package-manager pnpm",
      says: "create the full template, installed with pnpm",
    },
  ],
  async run(options, io, args) {
    const { makeApplication } = await import("../new/make.ts");
    const { template = "pages", packageManager = currentManager(io) } = options;
    const manager = packageManager as PackageManager;
    return makeApplication({ dir: args.dir, template, manager, install: !options.noInstall }, io);
  },
});

/** Returns the package manager that started this process, according to the environment; npm by default. */
function currentManager({ env }: IO): PackageManager {
  const name = /^[a-z]+/.exec(env.npm_config_user_agent ?? "")?.[0] ?? "";
  return Object.hasOwn(packageManagers, name) ? (name as PackageManager) : "npm";
}
