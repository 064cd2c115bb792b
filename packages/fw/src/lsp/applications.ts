import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import { Application, type ApplicationOptions } from "./application.ts";

/** The applications of a client. Opens each one when the client first opens its folder or one of its files. */
export class Applications {
  readonly #options: Omit<ApplicationOptions, "root">;
  readonly #open: Map<string, Application> = new Map();

  constructor(options: Omit<ApplicationOptions, "root">) {
    this.#options = options;
  }

  /**
   * Returns the application of a file and opens it if needed; undefined if the file belongs to none. `text` is the
   * file's text.
   */
  of(path: string, text = ""): Application | undefined {
    const root = rootOf(dirname(path));
    if (root === undefined) return undefined;
    const existing = this.#open.get(root);
    return existing ?? (dependsOnFw(root) || importsFw(text) ? this.#start(root) : undefined);
  }

  /** Returns the open applications that import a file, which may be outside them. */
  reading(path: string): readonly Application[] {
    return [...this.#open.values()].filter((application) => application.reads(path));
  }

  openFolder(dir: string): void {
    if (dependsOnFw(dir) && !this.#open.has(dir)) this.#start(dir);
  }

  closeFolder(dir: string): void {
    for (const [root, application] of this.#open) {
      if (root !== dir && !root.startsWith(dir + sep)) continue;
      application.close();
      this.#open.delete(root);
    }
  }

  close(): void {
    for (const application of this.#open.values()) application.close();
    this.#open.clear();
  }

  #start(root: string): Application {
    const application = new Application({ ...this.#options, root });
    this.#open.set(root, application);
    return application;
  }
}

/** Finds the nearest directory with a package.json, from `dir` upwards; none inside installed packages. */
function rootOf(dir: string): string | undefined {
  if (dir.split(sep).includes("node_modules")) return undefined;
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function dependsOnFw(root: string): boolean {
  const manifest = readJSON(join(root, "package.json")) as Readonly<Record<string, object | null>> | null | undefined;
  const lists = ["dependencies", "devDependencies", "peerDependencies"];
  return lists.some((key) => Object.hasOwn(manifest?.[key] ?? {}, "fw"));
}

function importsFw(text: string): boolean {
  return /\bfrom\s*["']fw["']/.test(text);
}
