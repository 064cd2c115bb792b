import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * Finds the functions in a file that have more `const`s than `limit`, with their counts. Nested functions count
 * separately. A function without a name gets the name of the function around it.
 */
export function crowdedFunctions(file: string, limit: number): ReadonlyMap<string, number> {
  const text = readFileSync(file, "utf8");
  const crowded = new Map<string, number>();
  // Skips slow parsing. In formatted code, a statement with a function ends with a line that starts with a bracket.
  if (text.split(/^[)\]}]/m).every((statement) => statement.split(/\bconst /).length - 1 <= limit)) return crowded;
  const visit = (node: SyntaxNode, around: { readonly name: string; count: number }, fallback: string): void => {
    const here = isFunction(node) ? { name: nameOf(node["id"]) ?? (fallback || around.name), count: 0 } : around;
    if (node.type === "VariableDeclaration" && node["kind"] === "const")
      around.count += (node["declarations"] as readonly unknown[]).length;
    const own = nameOf(node["key"]) ?? nameOf(node["id"]) ?? "";
    for (const [member, value] of Object.entries(node))
      for (const child of [value].flat())
        if (isNode(child)) visit(child, here, member === "value" || member === "init" ? own : "");
    // A reader need not keep the variable of a for-of loop in mind after the loop.
    if (isLoop(node) && isNode(node["left"]) && node["left"]["kind"] === "const") around.count -= 1;
    if (here !== around && here.count > limit)
      crowded.set(here.name, Math.max(here.count, crowded.get(here.name) ?? 0));
  };
  visit(parseSync(file, text).program as unknown as SyntaxNode, { name: "", count: 0 }, "");
  return crowded;
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
}

function isLoop({ type }: SyntaxNode): boolean {
  return type === "ForOfStatement" || type === "ForInStatement";
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : undefined;
}
