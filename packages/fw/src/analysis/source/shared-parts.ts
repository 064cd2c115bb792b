import type { ESTree } from "rolldown/utils";

/** By themselves: the names of kinds of nodes, each one string. */
const kinds = new Map<string, string>();
/** The list of every node that has none. */
const none: readonly never[] = Object.freeze([]);

/**
 * Gives nodes in common what each has a copy of as it comes from the parser: the name of its kind, and lists of nothing. That is a
 * quarter of a tree's memory, and names of kinds that are one string are compared without being read.
 */
export function shareParts(program: ESTree.Program): ESTree.Program {
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
  const known = kinds.get(name);
  if (known !== undefined) return known;
  // The key of an object is the one string that the engine compares by its place.
  const [kind = name] = Object.keys({ [name]: true });
  kinds.set(kind, kind);
  return kind;
}
