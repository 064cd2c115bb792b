import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import type { FakeCloud } from "../../../../../fake-cloud/src/index.ts";
import { assembleImage, type Image } from "../image.ts";
import { layerOf } from "../layer.ts";
import type { TarEntry } from "../tar.ts";

const config = {
  Env: ["PATH=/usr/local/bin:/usr/bin:/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
  Entrypoint: ["/nodejs/bin/node"],
};

/** Creates a base image that links to this machine's Node, which makes it small but not portable. */
export async function linkedBase(): Promise<Image> {
  return assembleImage([await layerOf([{ path: "nodejs/bin/node", kind: "link", target: process.execPath }])], config);
}

/** Creates a base image that contains this machine's Node and its libraries, and runs on any Linux. */
export async function wholeBase(): Promise<Image> {
  const libraries = [
    ...execFileSync("ldd", [process.execPath])
      .toString()
      .matchAll(/(\/\S+) \(/g),
  ].map(([, path = ""]) => path);
  const layers = [
    await layerOf([fileEntry("nodejs/bin/node", process.execPath)]),
    await layerOf(libraries.map((path) => fileEntry(path.slice(1), path))),
  ];
  return assembleImage(layers, config);
}

function fileEntry(path: string, from: string): TarEntry {
  if (!existsSync(from)) throw new Error(`${from} is not there`);
  return { path, kind: "file", size: statSync(from).size, executable: true, open: () => createReadStream(from) };
}

/** Pushes a base image for public pulls, in a multi-architecture index like public images; returns its reference. */
export async function publishBase(fake: FakeCloud, base: Image): Promise<string> {
  const name = "gcr.io/distroless/nodejs24-debian12";
  const blobs = await Promise.all(base.layers.map((layer) => buffer(layer.open())));
  const { registry } = fake.apis;
  registry.publish(name, base.manifest, [base.config, ...blobs]);
  const type = "application/vnd.oci.image.manifest.v1+json";
  const size = base.manifest.byteLength;
  const other = {
    mediaType: type,
    digest: `sha256:${"0".repeat(64)}`,
    size,
    platform: { os: "linux", architecture: "arm64" },
  };
  const own = { mediaType: type, digest: base.digest, size, platform: { os: "linux", architecture: "amd64" } };
  const index = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [other, own] };
  return registry.publish(name, Buffer.from(JSON.stringify(index)), []);
}
