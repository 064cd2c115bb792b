export interface Reference {
  readonly host: string;
  /** The path below the host: `distroless/nodejs24-debian12`. */
  readonly name: string;
  /** `sha256:…` */
  readonly digest: string;
}

/** Parses `host/name@sha256:…`. Throws without a digest, because a tag may move. */
export function readReference(text: string): Reference {
  const [, place = "", digest = ""] = /^(.+?)(?::[\w.-]+)?@(sha256:[0-9a-f]{64})$/.exec(text) ?? [];
  const [host = "", ...name] = place.split("/");
  if (digest !== "" && /[.:]|^localhost$/.test(host) && name.length > 0) return { host, name: name.join("/"), digest };
  throw new Error(
    `the base image ${text} needs a registry and a digest, such as gcr.io/distroless/nodejs24-debian12@sha256:…, because a tag can point to another image at the next build`,
  );
}

/** Returns the URL of a registry's API. Registries on this machine use HTTP. */
export function registryUrl(host: string): URL {
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  return new URL(`${isHere ? "http" : "https"}://${host}/v2/`);
}
