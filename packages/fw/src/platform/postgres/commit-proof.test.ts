import { expect, test } from "vitest";
import { newProofKey } from "./commit-proof.ts";

test("a process never chooses a proof key twice, and every key is a bigint of PostgreSQL above all transaction ids", () => {
  const keys = Array.from({ length: 20_000 }, newProofKey);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(BigInt(key) >= 2n ** 62n && BigInt(key) < 2n ** 63n).toBe(true);
});
