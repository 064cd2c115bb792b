import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import { envProblems, readEnv } from "./env.ts";

function rootWith(env: string): string {
  const root = mkdtempSync(join(tmpdir(), "fw-env-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, ".env"), env);
  return root;
}

test("a .env that begins with a byte order mark sets its first name as any other", () => {
  expect(readEnv(rootWith("\uFEFFKEY=abc\nOTHER=1\n"), {})).toEqual({ KEY: "abc", OTHER: "1" });
});

const problemAt = (line: number): string => `.env:${line}: the line is not name=value; correct it, or put # before it`;

test("lines other than name=value are reported with their line, without values", () => {
  const root = rootWith("# a comment\n\nKEY=abc\nexport B = 1\nMAIL_KEY: hunter2\n=x\nwhat is this\n");
  expect(envProblems(root)).toEqual([5, 6, 7].map(problemAt));
});

test("no message shows a part of a value, however its line is written", () => {
  // None of these values contains four characters of fw's own message.
  const value = fc.stringMatching(/^[A-Z0-9_+/:=@-]{4,40}$/);
  const line = fc.oneof(
    value.map((secret) => [secret, secret]),
    fc
      .tuple(fc.constantFrom("KEY=", "KEY: ", "export KEY ", "=", " ", "- ", "KEY='", 'KEY="', "KEY=`", "# "), value)
      .map(([start, secret]) => [start + secret, secret]),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n", "\r"), (lines, end) => {
      const root = rootWith(lines.map(([text]) => text).join(end));
      const shown = envProblems(root).join("\n");
      for (const [, secret = ""] of lines)
        for (let at = 0; at + 4 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 4));
    }),
    { numRuns: tries(50) },
  );
});

test("the lines of a quoted value are no lines of their own", () => {
  const root = rootWith(`KEY="-----BEGIN KEY-----\nabc def\n-----END KEY-----"\nSHORT='a'\nOTHER=1\n`);
  expect(envProblems(root)).toEqual([]);
  expect(readEnv(root, {})).toEqual({ KEY: "-----BEGIN KEY-----\nabc def\n-----END KEY-----", SHORT: "a", OTHER: "1" });
});

test("a line that is not told of sets its name, whatever it holds", () => {
  const lines = [
    "A=1",
    "A =1",
    " A=1",
    "A",
    "A B=1",
    "A.B=2",
    "A-B=3",
    "1A=1",
    "export A=1",
    "é=1",
    "A:1",
    "\tA=1",
    "A==",
    "A=#",
  ];
  for (const line of lines) {
    const root = rootWith(`${line}\n`);
    const told = envProblems(root).length > 0;
    const names = Object.keys(readEnv(root, {}));
    expect([line, told || names.length === 1]).toEqual([line, true]);
  }
});
