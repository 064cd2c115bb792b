import { createHash } from "node:crypto";
import { entriesBelow, layerOf, type ImageLayer } from "./layer.ts";
import { refuseForeignAddons } from "./native-addons.ts";
import type { TarEntry } from "./tar.ts";

export type { ImageLayer } from "./layer.ts";

/** A container image: what a registry keeps and Cloud Run starts. */
export interface Image {
  /** JSON, as the registry keeps it. */
  readonly config: Uint8Array;
  /** From the lowest to the highest. */
  readonly layers: readonly ImageLayer[];
  /** JSON, as the registry keeps it. */
  readonly manifest: Uint8Array;
  /** `sha256:…` of the manifest: what names the image. */
  readonly digest: string;
}

/** How a container of an image starts. */
export interface ImageSettings {
  /** What the base's entry point is given: for a base of Node the module to start. */
  readonly command: readonly string[];
  /** Over what the base sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Who the process runs as: a number, where nobody knows the base's names. */
  readonly user: string;
}

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";

/** Where the files of a service are in its image. */
const appDirectory = "app";

/** How a built service starts, by Node as nobody in particular. */
export const serviceSettings: ImageSettings = {
  command: ["--enable-source-maps", `/${appDirectory}/main.js`],
  env: { NODE_ENV: "production" },
  // Whom Debian's small images call "nonroot".
  user: "65532",
};

/** The configuration of an image, as far as one is made of another. */
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
 * The image of a built service: the base's layers, one of `node_modules` where the service has any, and one of its own files, so that a
 * change of code changes the last layer alone. The same files on the same base are the same image.
 */
export async function imageOf(serviceDirectory: string, base: Image, settings: ImageSettings): Promise<Image> {
  const entries = await entriesBelow(serviceDirectory, appDirectory);
  await refuseForeignAddons(entries);
  const modules = `${appDirectory}/node_modules`;
  const isModule = ({ path }: TarEntry): boolean => path === modules || path.startsWith(`${modules}/`);
  const place: TarEntry = { path: appDirectory, kind: "directory" };
  const parts = [entries.filter(isModule), entries.filter((entry) => !isModule(entry))];
  const own = await Promise.all(parts.filter(({ length }) => length > 0).map((files) => layerOf([place, ...files])));
  return assembled([...base.layers, ...own], configured(configOf(base), settings));
}

export function configOf({ config }: Pick<Image, "config">): ImageConfig {
  return JSON.parse(Buffer.from(config).toString()) as ImageConfig;
}

function configured(base: ImageConfig, { command, env, user }: ImageSettings): ImageConfig["config"] {
  const { Env = [], Entrypoint = [] } = base.config ?? {};
  const kept = Env.filter((line) => !Object.hasOwn(env, line.split("=")[0] ?? ""));
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return { User: user, Env: [...kept, ...set.toSorted()], Entrypoint, Cmd: command, WorkingDir: `/${appDirectory}` };
}

/** An image of layers. */
export function assembled(layers: readonly ImageLayer[], config: ImageConfig["config"] = {}): Image {
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
