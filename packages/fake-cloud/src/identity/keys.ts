import { createPrivateKey, createPublicKey, generateKeyPair, sign, type JsonWebKey, type KeyObject } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * The key pairs of a cloud. They are cached on disk and the same for all clouds, because generating one takes longer
 * than most tests.
 */
export class KeyPairs {
  #taken = 0;

  async next(): Promise<KeyPair> {
    this.#taken += 1;
    const file = join(folder, `${this.#taken}.pem`);
    const kept = await readFile(file, "utf8").catch(() => undefined);
    if (kept !== undefined) return { privateKey: createPrivateKey(kept), publicKey: createPublicKey(kept) };
    const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
    await mkdir(folder, { recursive: true });
    // Renamed atomically, because other processes may create the file at the same time.
    const beside = `${file}.${process.pid}.${Math.random()}`;
    await writeFile(beside, pair.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await rename(beside, file);
    return pair;
  }
}

const folder = fileURLToPath(new URL("../../node_modules/.cache/keys/", import.meta.url));

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A rotating key set of Google: the newest key signs, and older keys still verify. */
export class SigningKeys {
  #keys: SigningKey[] = [];
  #made = 0;
  #ready: Promise<void> | undefined;
  readonly #name: string;
  readonly #pairs: KeyPairs;

  constructor(name: string, pairs: KeyPairs) {
    this.#name = name;
    this.#pairs = pairs;
  }

  /** Adds a new signing key, and keeps the newest `keep` of the earlier keys for verification. */
  async rotate(keep = 1): Promise<void> {
    const pair = await this.#pairs.next();
    this.#made += 1;
    this.#keys = [{ id: `${this.#name}-${this.#made}`, ...pair }, ...this.#keys.slice(0, keep)];
  }

  /** Returns the key set in its published format. */
  async jwks(): Promise<{ keys: JsonWebKey[] }> {
    const keys = await this.#all();
    return {
      keys: keys.map(({ id, publicKey }) => ({
        ...publicKey.export({ format: "jwk" }),
        kid: id,
        alg: "RS256",
        use: "sig",
      })),
    };
  }

  /** Returns a signed token (RS256). */
  async token(claims: Claims): Promise<string> {
    const { id, privateKey } = await this.#newest();
    const text = [{ alg: "RS256", kid: id, typ: "JWT" }, claims]
      .map((json) => base64url(JSON.stringify(json)))
      .join(".");
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`;
  }

  /** Signs bytes (RSASSA-PKCS1-v1_5 with SHA-256). */
  async signature(bytes: Uint8Array): Promise<{ keyId: string; signature: Buffer }> {
    const { id, privateKey } = await this.#newest();
    return { keyId: id, signature: sign("RSA-SHA256", bytes, privateKey) };
  }

  /** Returns the keys for verification. */
  async publicKeys(): Promise<KeyObject[]> {
    return (await this.#all()).map(({ publicKey }) => publicKey);
  }

  async #newest(): Promise<SigningKey> {
    const [newest] = await this.#all();
    if (!newest) throw new Error("no key");
    return newest;
  }

  async #all(): Promise<readonly SigningKey[]> {
    if (this.#keys.length === 0) await (this.#ready ??= this.rotate());
    return this.#keys;
  }
}

interface SigningKey extends KeyPair {
  readonly id: string;
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
