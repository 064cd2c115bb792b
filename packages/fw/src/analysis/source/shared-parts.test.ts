import { type ESTree, parseSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { internNodes } from "./intern-nodes.ts";

const text = `import type { Path } from "fw";
@sealed class A<T> { static #b = /x/u; [k: string]: Map<Path, 10n>; }
export const [, c = {}] = [f(), ...(d as const), <T,>(e?: T) => \`\${e}\`];`;

const parse = (): ESTree.Program => parseSync("a.ts", text, { lang: "ts" }).program;

test("a tree whose nodes have parts in common says what the parser said", () => {
  expect(internNodes(parse())).toEqual(parse());
});

test("the lists of nothing of all trees are one list, which nobody can change", () => {
  const lists = [parse(), parse()].flatMap((program) => emptyLists(internNodes(program)));
  expect(lists.length).toBeGreaterThan(10);
  expect(new Set(lists).size).toBe(1);
  expect(Object.isFrozen(lists[0])).toBe(true);
});

function emptyLists(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value) && value.length === 0 ? [value] : Object.values(value).flatMap(emptyLists);
}
