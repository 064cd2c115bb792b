import { shortName } from "../api.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cloud } from "../cloud.ts";
import type { Logging } from "../logging/logging.ts";
import type { ImageRegistry, StoredImage } from "../registry/registry.ts";
import { unpack } from "../registry/unpack.ts";
import type { SecretManager } from "../secretmanager/secretmanager.ts";

/** The container of a service or job. */
export interface ContainerTemplate {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly {
    readonly name?: string;
    readonly value?: string;
    readonly valueSource?: { readonly secretKeyRef?: { readonly secret?: string; readonly version?: string } };
  }[];
}

export interface ContainerSpec {
  readonly template: ContainerTemplate;
  /** The service account of the container. */
  readonly account: string;
  /** The environment that Cloud Run sets. */
  readonly env: Readonly<Record<string, string>>;
  /** The resource of its log entries. */
  readonly resource: { readonly type: string; readonly labels: Readonly<Record<string, string>> };
}

/** A start failure, in Google's words. */
export class NotReady extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A process started from an image. */
export interface Container {
  readonly pid: number;
  /**
   * Resolves with the exit code, or null after a signal, once the process has exited and all of its output has arrived.
   */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM, then SIGKILL after Cloud Run's grace period. */
  stop(): Promise<void>;
}

interface Parts {
  readonly cloud: Cloud;
  readonly registry: ImageRegistry;
  readonly secrets: SecretManager;
  readonly logging: Logging;
  /** Starts an instance's metadata server and returns the environment that points to it. */
  readonly identity: (
    account: string,
  ) => Promise<{ env: Readonly<Record<string, string>>; close: () => Promise<void> }>;
}

/** Milliseconds between SIGTERM and SIGKILL. */
const graceMs = 10_000;

/** Starts processes from images, according to the image's configuration. */
export class Containers {
  readonly #parts: Parts;
  readonly #running = new Set<Container>();
  readonly #roots = new Map<string, Promise<string>>();
  #directory: string | undefined;
  #printed = "";
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The output of all containers. */
  get output(): string {
    return this.#printed;
  }

  get pids(): readonly number[] {
    return [...this.#running].map(({ pid }) => pid);
  }

  /** Starts a process. Rejects with a NotReady if its image or a secret is unavailable, or the cloud is stopped. */
  async start(spec: ContainerSpec): Promise<Container> {
    const image = this.#image(spec.template);
    const secrets = this.#secretsOf(spec);
    const root = await this.#root(image);
    const identity = await this.#parts.identity(spec.account);
    if (this.#closed) {
      await identity.close();
      throw new NotReady("CONTAINER_MISSING", "The cloud has been stopped.");
    }
    const { Env = [], Entrypoint = [], Cmd = [], WorkingDir = "/" } = image.config;
    const { command, args, workingDir = WorkingDir, env = [] } = spec.template;
    const own = Object.fromEntries(Env.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<string, string>;
    const ownVariables = Object.fromEntries(env.map(({ name = "", value = "" }) => [name, value])) as Record<
      string,
      string
    >;
    const words = [...(command ?? Entrypoint), ...(args ?? (command ? [] : Cmd))];
    const [program = "", ...rest] = words.map((word) => insideOf(root, word, own["PATH"] ?? ""));
    const child = spawn(program, rest, {
      cwd: join(root, workingDir),
      env: { ...own, ...ownVariables, ...secrets, ...spec.env, ...identity.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#log(child, spec);
    const exited = endOf(child);
    const container = { pid: child.pid ?? 0, exited, stop: () => stop(child, exited) };
    this.#running.add(container);
    void exited.then(() => {
      this.#running.delete(container);
      return identity.close();
    });
    return container;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Stops everything, including containers that are still starting. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
  }

  /** Stops all containers; the next request starts its instance again. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((container) => container.stop()));
    const directory = this.#directory;
    // Later starts unpack the image again.
    this.#directory = undefined;
    this.#roots.clear();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }

  #image({ image = "" }: ContainerTemplate): StoredImage {
    const found = this.#parts.registry.image(image);
    if (!found) throw new NotReady("CONTAINER_MISSING", `Image '${image}' not found.`);
    return found;
  }

  /** Returns the values of secrets; the service's account needs permission to read them. */
  #secretsOf({ template: { env = [] }, account }: ContainerSpec): Record<string, string> {
    const { cloud, secrets } = this.#parts;
    const values: Record<string, string> = {};
    for (const [at, { name = "", valueSource }] of env.entries()) {
      const { secret, version = "latest" } = valueSource?.secretKeyRef ?? {};
      if (secret === undefined) continue;
      const field = `spec.template.spec.containers[0].env[${at}].value_from.secret_key_ref.name`;
      const id = shortName(secret);
      const full = `projects/${cloud.project.number}/secrets/${id}/versions/${version}`;
      const resource = `//secretmanager.googleapis.com/projects/${cloud.project.id}/secrets/${id}`;
      const permission = "secretmanager.versions.access";
      if (!cloud.may(account, permission, resource))
        throw new NotReady(
          "SECRETS_ACCESS_CHECK_FAILED",
          `${field}: Permission denied on secret: ${full} for Revision service account ${account}. The service account used must be granted the 'Secret Manager Secret Accessor' role (roles/secretmanager.secretAccessor) at the secret, project or higher level.`,
        );
      const value = secrets.value(id, version);
      if (value === undefined)
        throw new NotReady("SECRETS_ACCESS_CHECK_FAILED", `${field}: Secret ${full} was not found`);
      values[name] = value;
    }
    return values;
  }

  /** Returns the file system of an image, unpacked once for all of its containers. */
  #root(image: StoredImage): Promise<string> {
    const known = this.#roots.get(image.digest) ?? this.#unpacked(image);
    this.#roots.set(image.digest, known);
    return known;
  }

  async #unpacked({ digest, layers }: StoredImage): Promise<string> {
    this.#directory ??= mkdtempSync(join(tmpdir(), "fake-cloud-"));
    const root = join(this.#directory, digest.slice("sha256:".length, 40));
    for (const layer of layers) await unpack(layer, root);
    return root;
  }

  #log(child: ChildProcess, { resource }: ContainerSpec): void {
    const { cloud, logging } = this.#parts;
    for (const [name, stream] of [
      ["stdout", child.stdout],
      ["stderr", child.stderr],
    ] as const) {
      let rest = "";
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines)
          logging.print(`projects/${cloud.project.id}/logs/run.googleapis.com%2F${name}`, resource, line);
      });
    }
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const kill = setTimeout(() => child.kill("SIGKILL"), graceMs);
  child.kill("SIGTERM");
  await exited;
  clearTimeout(kill);
}

/**
 * Maps an absolute path, or the name of a program in the PATH, to a file in the container's directory. Returns other
 * words of a command unchanged.
 */
function insideOf(root: string, word: string, path: string): string {
  if (word.startsWith("/")) return existsSync(join(root, word)) ? join(root, word) : word;
  if (word.includes("/")) return word;
  const found = path.split(":").find((directory) => existsSync(join(root, directory, word)));
  return found === undefined ? word : join(root, found, word);
}
