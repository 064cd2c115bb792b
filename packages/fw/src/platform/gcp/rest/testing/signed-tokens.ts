import { generateKeyPairSync, sign } from "node:crypto";
import type { KeySet } from "../key-set.ts";

/** A key set for a test, and a function that signs tokens for it. */
export interface TestKeys {
  readonly keys: KeySet;
  /** Returns a token signed with RS256. */
  readonly token: (claims: object) => string;
}

export function testKeys(): TestKeys {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    keys: { key: async (kid) => (kid === "one" ? publicKey : undefined) },
    token: (claims) => {
      const signed = [{ alg: "RS256", kid: "one", typ: "JWT" }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
  };
}
