import { PlatformError } from "../../../errors.ts";
import type { S3Credentials } from "./address.ts";

/** A request to sign, as `aws4fetch` expects it. */
export interface SignerOptions extends S3Credentials {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: "s3";
  readonly region: string;
  /** Caches the keys that are derived from the secret, one for each day. */
  readonly cache: Map<string, ArrayBuffer>;
}

/** The part of the module `aws4fetch` that fw uses. */
export interface Signer {
  readonly AwsV4Signer: new (options: SignerOptions) => {
    sign(): Promise<{ readonly url: URL; readonly headers: Headers }>;
  };
}

const installSigner = "npm install aws4fetch@1";

/** The package's name, in a variable so that bundlers do not include the package. */
const packageName = "aws4fetch";

/** Loads `aws4fetch`. If it is missing, throws a PlatformError `data` that names the install command. */
export async function loadSigner(): Promise<Signer> {
  try {
    return (await import(packageName)) as Signer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new PlatformError(
      "data",
      `objects in S3 need the package aws4fetch, which is not installed: ${installSigner}`,
    );
  }
}
