/** What names an image in a registry. */
export interface Reference {
  readonly host: string;
  /** Below the host: `distroless/nodejs24-debian12`. */
  readonly name: string;
  /** `sha256:…` */
  readonly digest: string;
}

/** Reads `host/name@sha256:…`. Throws where the image has no digest: a tag is another image tomorrow. */
export function readReference(text: string): Reference {
  const [, place = "", digest = ""] = /^(.+?)(?::[\w.-]+)?@(sha256:[0-9a-f]{64})$/.exec(text) ?? [];
  const [host = "", ...name] = place.split("/");
  if (digest !== "" && /[.:]|^localhost$/.test(host) && name.length > 0) return { host, name: name.join("/"), digest };
  throw new Error(
    `the base image ${text} has to name its registry and its digest, such as gcr.io/distroless/nodejs24-debian12@sha256:…: a tag may be another image at the next build`,
  );
}

/** Where a registry's API is: a registry of this machine speaks HTTP. */
export function registryUrl(host: string): URL {
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  return new URL(`${isHere ? "http" : "https"}://${host}/v2/`);
}
