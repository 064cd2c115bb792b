import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isSignedBy, readJws, verifyingKey, type Jwk } from "./jws.ts";

interface Vectors {
  readonly groups: readonly {
    readonly comment: string;
    readonly key: Jwk;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly jws: unknown;
      readonly result: string;
    }[];
  }[];
}

const { groups } = JSON.parse(
  readFileSync(new URL("testing/vectors/wycheproof-jws.json", import.meta.url), "utf8"),
) as Vectors;

test("of Project Wycheproof's vectors exactly those are accepted that are valid and signed with RS256", () => {
  const wrong: string[] = [];
  let accepted = 0;
  for (const { comment: group, key, tests } of groups)
    for (const { tcId, comment, jws, result } of tests) {
      const token = typeof jws === "string" ? jws : JSON.stringify(jws);
      const isAccepted = accepts(token, key);
      if (isAccepted) accepted++;
      if (isAccepted !== (result === "valid" && isRs256(token))) wrong.push(`${tcId} ${group} ${comment}`);
    }
  expect(wrong).toEqual([]);
  // The vectors contain eight valid RS256 tokens.
  expect(accepted).toBe(8);
});

function accepts(token: string, jwk: Jwk): boolean {
  const read = readJws(token);
  const key = verifyingKey(jwk);
  return !("refused" in read) && key !== undefined && isSignedBy(read, key);
}

function isRs256(token: string): boolean {
  const [header = ""] = token.split(".");
  return Buffer.from(header, "base64url").toString().includes('"RS256"');
}
