import { execFile, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fw as fwHere } from "../packages/fw/src/cli/testing/run.ts";
import { templates, type Template } from "../packages/fw/src/cli/new/templates.ts";
import { startDev } from "./support/fw.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "packages/fw/bin/fw.js");
const run = promisify(execFile);

/** True if FW_LAYOUTS requests the slow tests. */
const all = process.env.FW_LAYOUTS !== undefined;

/** The environment of a fresh shell, without this Vitest run's variables and with npm preferring its cache. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS|NODE_ENV|npm_)/.test(name)),
  ),
  NO_COLOR: "1",
  npm_config_prefer_offline: "true",
  npm_config_fetch_retries: "5",
};

let dir = "";
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "fw-new-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/**
 * The package managers by their name in test titles. `from` is the package to install them from; npm is already
 * installed.
 */
const layouts = {
  npm: { manager: "npm", from: undefined },
  pnpm: { manager: "pnpm", from: "pnpm@10.34.8" },
  "Yarn 1": { manager: "yarn", from: "yarn@1.22.22" },
  "Yarn 4": { manager: "yarn", from: "@yarnpkg/cli-dist@4.18.1" },
};

describe.each(all ? (Object.keys(layouts) as (keyof typeof layouts)[]) : (["npm"] as const))(
  "installed by %s",
  (layout) => {
    const { manager, from } = layouts[layout];
    const name = `made-by-${layout.replace(" ", "-").toLowerCase()}`;
    const app = (): string => join(dir, name);

    test("a new application is served from an empty directory by two commands, live as it is edited", async () => {
      const own = await withManager(from);
      const options = ["--template", "pages", "--package-manager", manager];
      const { stdout } = await run(
        process.execPath,
        [bin, "new", name, ...options, ...(manager === "yarn" ? ["--no-install"] : [])],
        { cwd: dir, env: own },
      );
      const start = `${manager} start    # http://localhost:8080`;
      if (manager === "yarn") {
        expect(stdout).toContain(`cd ${name}\n  yarn install\n  ${start}`);
        leaveOutOtherPlatforms(app());
        await run("yarn", ["install"], { cwd: app(), env: { ...own, YARN_ENABLE_IMMUTABLE_INSTALLS: "false" } });
      } else expect(stdout).toContain(`cd ${name}\n  ${start}`);
      await using server = await startDev(app());
      const page = async (): Promise<string> => (await fetch(server.url)).text();
      expect(await page()).toContain("No entries yet. Yours can be the first.");
      const file = join(app(), "guestbook/web/templates/home.html");
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace("No entries yet. Yours can be the first.", "Be the first."),
      );
      await expect.poll(page).toContain("Be the first.");
      // The installed fw, not this repository's, checks and tests the application.
      const installed = join(app(), "node_modules/fw/bin/fw.js");
      for (const [command, says] of [
        ["check", "no problems in 1 file (2 routes)"],
        ["test", "2 passed"],
      ] as const) {
        const { code, output } = await finished(installed, command, app());
        expect(output).toContain(says);
        expect(code).toBe(0);
      }
    });
  },
);

/** Returns an environment with a package manager downloaded from the registry. */
async function withManager(from: string | undefined): Promise<NodeJS.ProcessEnv> {
  if (from === undefined) return env;
  const tools = join(dir, from.replaceAll(/\W/g, "-"));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefix", tools, from], { cwd: dir, env });
  return {
    ...env,
    PATH: `${join(tools, "node_modules/.bin")}:${env.PATH}`,
    YARN_ENABLE_TELEMETRY: "false",
    YARN_CACHE_FOLDER: join(tools, "cache"),
  };
}

/**
 * Replaces packages for other platforms with a stub. Yarn looks up the packages for every platform, which a mirror of
 * the registry may not have.
 */
function leaveOutOtherPlatforms(app: string): void {
  const stub = join(app, "absent");
  mkdirSync(stub);
  writeFileSync(join(stub, "package.json"), `{ "name": "absent", "version": "1.0.0" }`);
  const manifest = join(app, "package.json");
  const optional = ["rolldown", "typescript", "libsql"].flatMap((name) =>
    Object.keys(manifestOf(join(root, "node_modules", name)).optionalDependencies ?? {}),
  );
  const own = optional.filter((name) => existsSync(join(root, "node_modules", name)));
  const others = optional.filter((name) => !own.includes(name)).map((name) => [name, "file:./absent"]);
  writeFileSync(manifest, JSON.stringify({ ...manifestOf(app), resolutions: Object.fromEntries(others) }));
}

function manifestOf(dir: string): { optionalDependencies?: object } {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as { optionalDependencies?: object };
}

async function finished(program: string, command: string, cwd: string): Promise<{ code: unknown; output: string }> {
  const child = spawn(process.execPath, [program, command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, output };
}

/** The directories of the applications created so far. Each template's application is created once. */
const roots = new Map<Template, string>();
async function applicationOf(template: Template): Promise<string> {
  const app = roots.get(template) ?? join(dir, `from-${template}`);
  if (roots.has(template)) return app;
  const { code } = await fwHere(dir, "new", app, "-t", template, "--no-install", "--package-manager", "yarn");
  expect(code).toBe(0);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  roots.set(template, app);
  return app;
}

test.each(templates)(
  "an application of the template %s has no mistake, and what people, agents and workflows need",
  async (template) => {
    const app = await applicationOf(template);
    const { code, out } = await fwHere(app, "check");
    expect(out).toContain("no problems");
    expect(code).toBe(0);
    const text = (path: string): string => readFileSync(join(app, path), "utf8");
    expect(text("README.md").trimEnd().split("\n")).toHaveLength(10);
    expect(text("AGENTS.md")).toContain("yarn run check");
    for (const command of ["fw mcp", "fw docs <words>", "fw check --json"])
      expect(text("AGENTS.md")).toContain(`npx --no ${command}`);
    expect(text(".github/workflows/check.yml")).toContain("npx --no fw check");
    expect(JSON.parse(text(".vscode/settings.json"))).toMatchObject({ "files.exclude": { "**/.fw": true } });
    expect(text(".yarnrc.yml")).toBe("nodeLinker: node-modules\n");
    for (const path of ["README.md", "AGENTS.md", "package.json"]) expect(text(path)).not.toContain("{{");
  },
);

test("no file of a new application leads to the package of that name on the registry", async () => {
  const app = await applicationOf("full");
  const manifest = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as { dependencies: object };
  expect(manifest.dependencies).toEqual({ fw: expect.stringMatching(/^file:vendor\/fw-[\d.]+\.tgz$/) });
  for (const path of ["README.md", "AGENTS.md", ".github/workflows/check.yml"])
    expect(readFileSync(join(app, path), "utf8")).not.toMatch(/npx (?!--no )|(?:install|add) fw\b|dlx/);
});

test.runIf(all)("the package that a new application gets is what npm packs of fw", async () => {
  const vendor = join(await applicationOf("full"), "vendor");
  const archive = readdirSync(vendor)[0] ?? "";
  const { stdout: archiveNames } = await run("tar", ["-tzf", join(vendor, archive)], { maxBuffer: 1e8 });
  const dry = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: join(root, "packages/fw"),
    env,
    maxBuffer: 1e8,
  });
  const [{ files, filename }] = JSON.parse(dry.stdout) as [{ files: { path: string }[]; filename: string }];
  const wanted = files.map(({ path }) => `package/${path}`).filter((path) => !path.endsWith(".tsbuildinfo"));
  expect(archiveNames.trim().split("\n").toSorted()).toEqual(wanted.toSorted());
  expect(archive).toBe(filename);
});

test("the templates are listed, one line each, where no template or another one is named", async () => {
  for (const named of [["--template"], ["--template", "blog"], ["--help"]]) {
    const { out, err } = await fwHere(dir, "new", "app", ...named);
    for (const template of templates) expect(out + err).toMatch(new RegExp(`^ +${template} +a `, "m"));
  }
});

test("a new application pins the packages that this fw was installed with, so that npm looks up no versions", async () => {
  const app = join(dir, "pinned");
  expect(await fwHere(dir, "new", app, "--no-install", "--package-manager", "npm")).toMatchObject({ code: 0 });
  const text = readFileSync(join(app, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, { version?: string; integrity?: string }> };
  const { "": _root, ...locked } = packages;
  const own = manifestOf(join(root, "packages/fw")) as { dependencies: Record<string, string> };
  for (const [name, version] of Object.entries(own.dependencies))
    expect(locked[`node_modules/${name}`]).toMatchObject({ version });
  for (const [path, { integrity, ...each }] of Object.entries(locked)) {
    expect({ path, integrity }).toEqual({ path, integrity: expect.stringMatching(/^sha512-/) });
    expect(each).toMatchObject({ resolved: expect.stringMatching(/^(?:https:\/\/.+|file:vendor\/.+)\.tgz$/) });
    expect(each).not.toHaveProperty("dev");
  }
  expect(Object.keys(locked).some((path) => path.includes("vitest"))).toBe(false);
});

test("what is there already is not touched", async () => {
  writeFileSync(join(dir, "README.md"), "mine");
  const { code, err } = await fwHere(dir, "new", ".", "--no-install");
  expect(code).toBe(2);
  expect(err).toContain("contains files that would be overwritten (README.md); nothing was written");
  expect(existsSync(join(dir, "package.json"))).toBe(false);
});

test.each([
  ["fw", 'cannot name the application "fw"'],
  ["...x/%%%", 'its directory "%%%" contains no letter or digit'],
])("a directory named %s makes no application", async (name, why) => {
  const { code, err } = await fwHere(dir, "new", name, "--no-install");
  expect(code).toBe(2);
  expect(err).toContain(why);
});

test("where a package manager fails, the files are there and the exit code is 1", async () => {
  const where = { cwd: dir, env: { ...env, PATH: "/nowhere" } };
  const failed = await run(process.execPath, [bin, "new", "alone"], where).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("npm is not installed: no directory of PATH"),
  });
  expect(failed).toMatchObject({ stdout: expect.stringContaining("  npm install --no-audit --no-fund\n") });
  expect(existsSync(join(dir, "alone/package.json"))).toBe(true);
});
