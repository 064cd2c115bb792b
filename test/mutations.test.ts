import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Mutant {
  readonly path: string;
  readonly what: string;
  readonly was: string;
  readonly becomes: string;
}

/** A mutant that no test needs to notice; `code` is its line. */
interface JudgedMutant extends Mutant {
  readonly code: string;
  /** The place in the line's code. */
  readonly at: number;
  readonly why: string;
}

function list(...args: string[]): readonly Mutant[] {
  const text = execFileSync(process.execPath, ["test/mutations/run.mjs", ...args, "--list"], {
    cwd: root,
    encoding: "utf8",
  });
  return JSON.parse(text) as readonly Mutant[];
}

test.each(["access", "decode", "commit", "outbox", "apply", "messages"])(
  "the area %s has mutants of operators, conditions, literals and statements",
  (area) => {
    const mutants = list(area, "--sample", "100000");
    const kinds = new Set(mutants.map(({ what }) => what));
    for (const kind of ["operator", "condition", "literal", "statement"]) expect(kinds).toContain(kind);
    expect(mutants.length).toBeGreaterThan(50);
    expect(mutants.filter(({ path, was, becomes }) => !existsSync(root + path) || was === becomes)).toEqual([]);
  },
);

test("equal seeds draw equal mutants", () => {
  expect(list("decode", "--sample", "5", "--seed", "3")).toEqual(list("decode", "--sample", "5", "--seed", "3"));
  expect(list("decode", "--sample", "5", "--seed", "3")).not.toEqual(list("decode", "--sample", "5", "--seed", "4"));
});

test("every judged mutant has a reason, and its code is still there", () => {
  const judged = JSON.parse(readFileSync(`${root}test/mutations/judged.json`, "utf8")) as readonly JudgedMutant[];
  for (const { path, code, at, was, why } of judged) {
    const lines = readFileSync(root + path, "utf8").split("\n");
    expect(
      lines.some((line) => line.trim() === code),
      `${path}: ${code}`,
    ).toBe(true);
    expect(code.slice(at).startsWith(was.split("\n")[0] ?? "")).toBe(true);
    expect(why).toMatch(/^.{20,}$/);
  }
});
