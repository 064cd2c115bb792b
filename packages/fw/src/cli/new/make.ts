import { spawnSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { counted } from "../../lib/counted.ts";
import { shownPath } from "../../lib/shown-path.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { version } from "../version.ts";
import { lockFileFor } from "./lock-file.ts";
import { packageManagers, workflow, type PackageManager } from "./package-manager.ts";
import { filesOf, type Template } from "./templates.ts";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { tarBytes, type TarEntry } from "../../deploy/image/tar.ts";
import { ownDirectory } from "../../lib/own-modules.ts";

export interface NewApplication {
  /** The directory as typed by the user. */
  readonly dir: string;
  readonly template: Template;
  readonly manager: PackageManager;
  readonly install: boolean;
}

/** Writes an application, installs it and prints the commands to run next. */
export async function makeApplication(options: NewApplication, io: IO): Promise<ExitCode> {
  const { dir, template, manager } = options;
  const root = resolve(io.cwd, dir);
  const name = nameFor(root);
  const archive = `vendor/fw-${version()}.tgz`;
  const files = applicationFiles(name, archive, options, io);
  refuseExistingFiles(root, [...files.keys(), archive, "package-lock.json"]);
  files.set(archive, await packOwnPackage());
  if (manager === "npm") addLockFile(files, archive);
  for (const [path, content] of files) write(join(root, path), content);
  io.out.write(`created ${name} from the template "${template}": ${files.size} files in ${root}\n`);
  const installed = !options.install || (await install(packageManagers[manager], root, io));
  const steps = nextSteps(shownPath(io.cwd, root), manager, options.install && installed);
  io.out.write(`\nNext:\n${steps.map((step) => `  ${step}\n`).join("")}`);
  return installed ? 0 : 1;
}

function nextSteps(directory: string, manager: NewApplication["manager"], isInstalled: boolean): readonly string[] {
  const { start, test, install } = packageManagers[manager];
  return [
    ...(directory === "" ? [] : [`cd ${quoted(directory)}`]),
    ...(isInstalled ? [] : [install.join(" ")]),
    `${start}    # http://localhost:8080, reloads when you save`,
    test,
  ];
}

/** Returns the application's files by path, except the archive of fw and npm's lock file. */
function applicationFiles(
  name: string,
  archive: string,
  { template, manager }: NewApplication,
  io: IO,
): Map<string, string | Buffer> {
  const { start, test, check } = packageManagers[manager];
  return new Map<string, string | Buffer>([
    ["package.json", manifest(name, archive, yarnVersion(manager, io))],
    ...filesOf(template, { name, install: `${manager} install`, start, test, check }),
    [".github/workflows/check.yml", workflow(manager)],
    ...Object.entries(packageManagers[manager].files),
  ]);
}

/** Adds npm's lock file, if `lockFileFor` can derive one. */
function addLockFile(files: Map<string, string | Buffer>, archive: string): void {
  const json = JSON.parse(String(files.get("package.json"))) as Parameters<typeof lockFileFor>[0];
  const lock = lockFileFor(json, { path: archive, bytes: files.get(archive) ?? "" });
  if (lock !== undefined) files.set("package-lock.json", lock);
}

function manifest(name: string, archive: string, packageManager: string | undefined): string {
  const json = {
    name,
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: { start: "fw dev", check: "fw check", test: "fw test", build: "fw build" },
    dependencies: { fw: `file:${archive}` },
    ...(packageManager !== undefined && { packageManager }),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/**
 * Returns the installed version of Yarn for package.json; undefined for another package manager. Without a version, a
 * workflow runs Yarn 1, which cannot read lock files of later versions.
 */
function yarnVersion(manager: PackageManager, { env }: IO): string | undefined {
  if (manager !== "yarn") return undefined;
  const version = spawnSync("yarn", ["--version"], { env, encoding: "utf8", shell: needsShell }).stdout?.trim() ?? "";
  return /^\d+\.\d+\.\d+$/.test(version) ? `yarn@${version}` : undefined;
}

/** Derives a package name from the directory's name. */
function nameFor(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (name === "")
    throw new Refusal(
      `cannot name the application: its directory "${basename(root)}" contains no letter or digit; choose another directory`,
    );
  if (name === "fw" || name === "node-modules")
    throw new Refusal(`cannot name the application "${name}"; choose a directory with another name`);
  return name;
}

function refuseExistingFiles(root: string, paths: readonly string[]): void {
  const existing = paths.filter((path) => existsSync(join(root, path)));
  if (existing.length === 0) return;
  const names = existing.slice(0, 3).join(", ") + (existing.length > 3 ? ` and ${existing.length - 3} more` : "");
  throw new Refusal(
    `${root} contains files that would be overwritten (${names}); nothing was written. Choose another directory`,
  );
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  // Fail rather than overwrite a file that another process has just created.
  writeFileSync(path, content, { flag: "wx" });
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** Matches npm's lines about requests to the registry. */
const fetchLine = /^npm http .*\n/gm;

/** On Windows, package managers are scripts, which need a shell. That is safe, because their arguments come from fw. */
const needsShell = process.platform === "win32";

/** Runs a package manager in the new application. If that fails, prints the reason and returns false. */
async function install(
  { install: command, quickInstall }: (typeof packageManagers)[PackageManager],
  root: string,
  io: IO,
): Promise<boolean> {
  const [program = "", ...args] = command;
  const line = command.join(" ");
  const started = performance.now();
  io.progress.step(`installing dependencies (${line})`);
  const child = spawn(program, [...args, ...quickInstall], {
    cwd: root,
    env: io.env,
    shell: needsShell,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let requests = 0;
  const read = (text: string): void => {
    requests += text.match(fetchLine)?.length ?? 0;
    if (requests > 0) io.progress.detail(counted(requests, "package"));
    output += text.replaceAll(fetchLine, "");
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
  const stopListening = io.onStop(() => child.kill());
  try {
    const [code] = (await once(child, "close")) as [number | null];
    io.progress.end();
    if (code === 0) {
      io.out.write(`installed its dependencies in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
      return true;
    }
    io.err.write(`${output}fw: "${line}" failed; the files were written, so run it again once the cause is fixed\n`);
  } catch (error) {
    io.progress.end();
    io.err.write(`fw: ${startFailure(program, line, error as NodeJS.ErrnoException)}; the files were written\n`);
  } finally {
    stopListening();
  }
  return false;
}

function startFailure(program: string, line: string, error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") return `cannot run "${line}" (${error.message})`;
  const other = program === "npm" ? "" : `, or use npm: in the new directory, run npm install`;
  return `${program} is not installed: no directory of PATH contains it. Install it${other}`;
}

/** npm's fixed timestamp in seconds since 1970. It makes archives of equal files equal. */
const packedAt = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** Packs the running fw as `npm pack` would, with reproducible bytes. */
async function packOwnPackage(): Promise<Buffer> {
  const root = join(ownDirectory, "..");
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  const paths = ["package.json", "LICENSE", ...files].flatMap((path) => below(root, path)).toSorted();
  const entries = paths.map((path): TarEntry => {
    const from = join(root, path);
    const bytes = readFileSync(from);
    const executable = path.startsWith("bin/");
    return {
      path: `package/${path}`,
      kind: "file",
      size: bytes.length,
      executable,
      open: () => Readable.from([bytes]),
    };
  });
  return gzipSync(await buffer(tarBytes(entries, packedAt)));
}

function below(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return path.endsWith(".tsbuildinfo") ? [] : [path];
  return readdirSync(join(root, path)).flatMap((name) => below(root, `${path}/${name}`));
}
