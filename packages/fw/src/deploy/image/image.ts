import { createHash } from "node:crypto";
import { entriesBelow, layerOf, type ImageLayer } from "./layer.ts";
import { refuseForeignAddons } from "./native-addons.ts";
import type { TarEntry } from "./tar.ts";

export type { ImageLayer } from "./layer.ts";

export interface Image {
  /** JSON, as stored in the registry. */
  readonly config: Uint8Array;
  /** Ordered from the lowest layer to the highest. */
  readonly layers: readonly ImageLayer[];
  /** JSON, as stored in the registry. */
  readonly manifest: Uint8Array;
  /** The digest of the manifest, which identifies the image. */
  readonly digest: string;
}

export interface ImageSettings {
  /** The arguments for the base's entry point. For Node, this is the module to run. */
  readonly command: readonly string[];
  /** Variables added to the base's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The numeric user id of the process. */
  readonly user: string;
}

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";

/** The directory of the service's files in the image. */
const appDirectory = "app";

/** The settings that run a built service with Node as an unprivileged user. */
export const serviceSettings: ImageSettings = {
  command: ["--enable-source-maps", `/${appDirectory}/main.js`],
  env: { NODE_ENV: "production" },
  // The user "nonroot" of Debian's distroless images.
  user: "65532",
};

/** The parts of an image configuration that fw uses. */
export interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly config?: {
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
    readonly User?: string;
  };
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
}

/**
 * Builds the image of a service: the base's layers, a layer with `node_modules` if there are any, and one with the
 * service's own files, so that a code change affects only the last layer. Reproducible: the same files on the same base
 * give the same image.
 */
export async function imageOf(serviceDirectory: string, base: Image, settings: ImageSettings): Promise<Image> {
  const entries = await entriesBelow(serviceDirectory, appDirectory);
  await refuseForeignAddons(entries);
  const modules = `${appDirectory}/node_modules`;
  const isModule = ({ path }: TarEntry): boolean => path === modules || path.startsWith(`${modules}/`);
  const place: TarEntry = { path: appDirectory, kind: "directory" };
  const parts = [entries.filter(isModule), entries.filter((entry) => !isModule(entry))];
  const own = await Promise.all(parts.filter(({ length }) => length > 0).map((files) => layerOf([place, ...files])));
  return assembleImage([...base.layers, ...own], imageConfig(configOf(base), settings));
}

export function configOf({ config }: Pick<Image, "config">): ImageConfig {
  return JSON.parse(Buffer.from(config).toString()) as ImageConfig;
}

function imageConfig(base: ImageConfig, { command, env, user }: ImageSettings): ImageConfig["config"] {
  const { Env = [], Entrypoint = [] } = base.config ?? {};
  const baseEnv = Env.filter((line) => !Object.hasOwn(env, line.split("=")[0] ?? ""));
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return { User: user, Env: [...baseEnv, ...set.toSorted()], Entrypoint, Cmd: command, WorkingDir: `/${appDirectory}` };
}

export function assembleImage(layers: readonly ImageLayer[], config: ImageConfig["config"] = {}): Image {
  const described = jsonBytes({
    architecture: "amd64",
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config,
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = jsonBytes({
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest: digestOf(described), size: described.byteLength },
    layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
  });
  return { config: described, layers, manifest, digest: digestOf(manifest) };
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
