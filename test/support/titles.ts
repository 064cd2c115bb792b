import { readFileSync } from "node:fs";
import { parseSync, type ESTree } from "rolldown/utils";

/**
 * Returns the titles of a file's tests and groups, and `group > test` for each test in a group. Leaves out titles with
 * `skip`, `skipIf`, `runIf` or `todo`. A title computed at run time counts as its constant part; a group named only by
 * its rows has no title.
 */
export function titlesIn(file: string): ReadonlySet<string> {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const titles = new Set<string>();
  collect(program, "", titles);
  return titles;
}

function collect(node: unknown, group: string, titles: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) return node.forEach((each) => collect(each, group, titles));
  const call = testCall(node);
  if (call === undefined) return Object.values(node).forEach((each) => collect(each, group, titles));
  const inside = call.title === undefined ? group : group === "" ? call.title : `${group} > ${call.title}`;
  if (call.title !== undefined) titles.add(call.title).add(inside);
  collect(call.rest, call.isGroup ? inside : group, titles);
}

interface TestCall {
  readonly isGroup: boolean;
  readonly title: string | undefined;
  readonly rest: readonly unknown[];
}

function testCall(node: object): TestCall | undefined {
  const { type, callee, arguments: args } = node as Partial<ESTree.CallExpression>;
  if (type !== "CallExpression" || callee === undefined || args === undefined) return undefined;
  const words = wordsOf(callee);
  const [name = ""] = words;
  if (!["test", "it", "describe"].includes(name)) return undefined;
  if (words.some((word) => ["skip", "todo", "skipIf", "runIf"].includes(word))) return undefined;
  // In `test.each(rows)("title")`, skips the inner call, which is the callee.
  if (words.at(-1) === "each" && callee.type === "MemberExpression") return undefined;
  const isGroup = name === "describe";
  const title = constantText(args[0]);
  return { isGroup, title: isGroup && title === "%s" ? undefined : title, rest: args.slice(1) };
}

/** Returns the names in a callee: `["test", "each"]` for `test.each(rows)`. */
function wordsOf(callee: ESTree.Expression): string[] {
  if (callee.type === "Identifier") return [callee.name];
  if (callee.type === "CallExpression") return wordsOf(callee.callee);
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return [];
  return [...wordsOf(callee.object), callee.property.name];
}

function constantText(node: unknown): string | undefined {
  const expression = node as ESTree.Expression | undefined;
  if (expression?.type === "Literal" && typeof expression.value === "string") return expression.value;
  if (expression?.type !== "TemplateLiteral") return undefined;
  return expression.quasis.map(({ value }) => value.cooked).join("…");
}
