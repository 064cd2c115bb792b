import { PlatformError } from "../../../errors.ts";

/** The environment variables for the store's region, address and keys, named as in AWS's own tools. */
export type S3Environment = Readonly<Record<string, string | undefined>>;

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The location of objects' bytes, and the keys that give access to it. */
export interface S3Address {
  /** The bucket's URL, with a trailing `/`: `https://s3.example.com/bucket/` or `https://bucket.s3.example.com/`. */
  readonly url: string;
  /** The prefix of every key; empty, or with a trailing `/`. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** The address without the keys, for use in messages. */
  readonly displayName: string;
}

const parameters = ["endpoint", "region", "style"];

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&style=path|host`. The endpoint defaults to AWS_ENDPOINT_URL_S3,
 * AWS_ENDPOINT_URL or AWS itself, and the region to AWS_REGION, AWS_DEFAULT_REGION or us-east-1. `host` puts the bucket
 * in the host name, as AWS prefers; `path`, the default for other endpoints, puts it in the path.
 */
export function readS3Address(text: string, env: S3Environment): S3Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== "s3:" || url.port !== "" || url.hash !== "")
    throw wrong("the address of objects must be a directory, or a bucket such as s3://bucket?region=eu-central-1");
  if (url.username !== "" || url.password !== "")
    throw wrong(
      "the address of objects cannot contain keys: put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    );
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined)
    throw wrong(`the address of objects can have ${parameters.join(", ")}, not ${JSON.stringify(unknown)}`);
  const bucket = url.hostname;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket))
    throw wrong(`${JSON.stringify(bucket)} is not the name of a bucket: 3 to 63 letters, digits, dots and hyphens`);
  const region = firstOf(url.searchParams.get("region"), env["AWS_REGION"], env["AWS_DEFAULT_REGION"]) ?? "us-east-1";
  if (!/^[\w-]{1,63}$/.test(region))
    throw wrong(`"region" must be a name such as us-east-1, not ${JSON.stringify(region)}`);
  const endpoint = firstOf(url.searchParams.get("endpoint"), env["AWS_ENDPOINT_URL_S3"], env["AWS_ENDPOINT_URL"]);
  const prefix = prefixOf(url.pathname);
  const { displayName, url: bucketURL } = locationOf(bucket, region, endpoint, url.searchParams.get("style"));
  return { url: bucketURL, prefix, region, credentials: credentialsOf(env), displayName: displayName + prefix };
}

function locationOf(
  bucket: string,
  region: string,
  endpoint: string | undefined,
  style: string | null,
): { readonly url: string; readonly displayName: string } {
  const origin = originOf(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (style !== null && style !== "path" && style !== "host")
    throw wrong(`"style" must be path or host, not ${JSON.stringify(style)}`);
  // The certificate for *.s3.example.com does not cover a bucket whose name contains a dot.
  const inHost = (style ?? (endpoint === undefined && !bucket.includes(".") ? "host" : "path")) === "host";
  const url = inHost ? `${origin.protocol}//${bucket}.${origin.host}/` : `${origin.origin}/${bucket}/`;
  return { url, displayName: `s3://${bucket}/ at ${origin.host}/` };
}

function originOf(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isOrigin =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/";
  if (!isOrigin || url.username !== "" || url.password !== "")
    throw wrong("the endpoint of objects must be a URL without a path, such as https://minio.internal:9000");
  return url;
}

function prefixOf(pathname: string): string {
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const bad = segments.find((segment) => !/^(?!\.+$)[\w.-]{1,100}$/.test(segment));
  if (bad !== undefined)
    throw wrong(`the prefix of objects must consist of letters, digits, dots and hyphens, not ${JSON.stringify(bad)}`);
  return segments.map((segment) => `${segment}/`).join("");
}

function credentialsOf(env: S3Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey)
    throw wrong("objects in S3 need the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return { accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) };
}

function firstOf(...values: readonly (string | null | undefined)[]): string | undefined {
  return values.find((value) => value) ?? undefined;
}

function wrong(message: string): PlatformError {
  return new PlatformError("data", message);
}
