import { createPrivateKey } from "node:crypto";
import { mintCall, newCallKeys, type Call, type CallKeys } from "../calls.ts";

/** An identity's keys, for signing arbitrary calls in tests. */
export interface TestCallKeys extends CallKeys {
  readonly mint: (call: Call, expires?: number) => string;
}

export function newTestCallKeys(): TestCallKeys {
  const keys = newCallKeys();
  const key = createPrivateKey({ key: Buffer.from(keys.privateKey, "base64"), format: "der", type: "pkcs8" });
  return { ...keys, mint: (call, expires = Date.now() + 60_000) => mintCall(key, call, expires) };
}
