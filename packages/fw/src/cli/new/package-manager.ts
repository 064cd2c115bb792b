export type PackageManager = "npm" | "pnpm" | "yarn";

/** The commands and files of an application for each package manager. */
export const packageManagers: Readonly<Record<PackageManager, Manager>> = {
  npm: {
    install: ["npm", "install", "--no-audit", "--no-fund"],
    quickInstall: ["--prefer-offline", "--loglevel=http"],
    clean: "npm ci",
    test: "npm test",
    start: "npm start",
    check: "npm run check",
    setup: [],
    files: {},
  },
  pnpm: {
    install: ["pnpm", "install"],
    quickInstall: ["--prefer-offline"],
    clean: "pnpm install --frozen-lockfile",
    test: "pnpm test",
    start: "pnpm start",
    check: "pnpm run check",
    setup: ["      - uses: pnpm/action-setup@v4", "        with: { version: 10 }"],
    files: {},
  },
  yarn: {
    install: ["yarn", "install"],
    quickInstall: [],
    // Both Yarn 1 and Yarn 4 accept this option.
    clean: "yarn install --frozen-lockfile",
    test: "yarn test",
    start: "yarn start",
    check: "yarn run check",
    setup: ["      - run: corepack enable"],
    // fw reads packages as plain files, which Plug'n'Play does not provide.
    files: { ".yarnrc.yml": "nodeLinker: node-modules\n" },
  },
};

interface Manager {
  readonly install: readonly string[];
  /** Options for the first installation: prefer cached packages, and show progress. */
  readonly quickInstall: readonly string[];
  /** Installs exactly the versions in the lock file. */
  readonly clean: string;
  readonly start: string;
  readonly test: string;
  readonly check: string;
  /** The workflow steps that install the package manager. */
  readonly setup: readonly string[];
  /** Settings files that an application needs, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Generates a GitHub Actions workflow that runs the check and the tests. */
export function workflow(manager: PackageManager): string {
  const { clean, test, setup } = packageManagers[manager];
  return [
    "name: check",
    "on: [push, pull_request]",
    "permissions:",
    "  contents: read",
    "jobs:",
    "  check:",
    "    runs-on: ubuntu-latest",
    "    steps:",
    "      - uses: actions/checkout@v4",
    ...setup,
    "      - uses: actions/setup-node@v4",
    "        with: { node-version: 24 }",
    `      - run: ${clean}`,
    "      - run: npx --no fw check --format github",
    `      - run: ${test}`,
    "",
  ].join("\n");
}
