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

/** A mutant that tests need not notice, for the reason `why`; `code` is its line. */
interface JudgedMutant extends Mutant {
  readonly code: string;
  /** The position in the line's code. */
  readonly at: number;
  readonly why: string;
}

const areasModule: string = new URL("mutations/areas.mjs", import.meta.url).href;
const { areas } = (await import(areasModule)) as {
  readonly areas: Readonly<Record<string, { readonly sources: readonly string[] }>>;
};

function list(...args: string[]): readonly Mutant[] {
  const text = execFileSync(process.execPath, ["test/mutations/run.mjs", ...args, "--list"], {
    cwd: root,
    encoding: "utf8",
  });
  return JSON.parse(text) as readonly Mutant[];
}

test("every area has mutants of operators, conditions, literals and statements", () => {
  const all = list(...Object.keys(areas), "--sample", "100000");
  expect(all.filter(({ path, was, becomes }) => !existsSync(root + path) || was === becomes)).toEqual([]);
  for (const [area, { sources }] of Object.entries(areas)) {
    const mutants = all.filter(({ path }) => sources.some((source) => path.startsWith(source)));
    const kinds = new Set(mutants.map(({ what }) => what));
    for (const kind of ["operator", "condition", "literal", "statement"]) expect(kinds, area).toContain(kind);
    expect(mutants.length, area).toBeGreaterThan(50);
  }
});

test("equal seeds draw equal mutants", () => {
  const drawn = list("decode", "--sample", "5", "--seed", "3");
  expect(list("decode", "--sample", "5", "--seed", "3")).toEqual(drawn);
  expect(list("decode", "--sample", "5", "--seed", "4")).not.toEqual(drawn);
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
