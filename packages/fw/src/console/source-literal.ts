/** A value that formats its own source text. */
interface WritesSource {
  toSource(): string;
}

/** The longest object or list to write on one line, in characters. */
const lineCharacters = 80;

/** Formats a stored value as TypeScript. `depth` is the indentation of its line. */
export function literalOf(value: unknown, depth = 0): string {
  if (value === undefined || value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${JSON.stringify(value.toISOString())})`;
  if (writesSource(value)) return value.toSource();
  if (Array.isArray(value))
    return between(
      "[",
      value.map((item) => literalOf(item, depth + 1)),
      "]",
      depth,
    );
  const members = Object.entries(value).map(([name, member]) => {
    const literal = literalOf(member, depth + 1);
    return name === literal ? name : `${keyOf(name)}: ${literal}`;
  });
  return between("{", members, "}", depth);
}

function writesSource(value: unknown): value is WritesSource {
  return typeof value === "object" && value !== null && "toSource" in value;
}

function keyOf(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function between(open: string, parts: readonly string[], close: string, depth: number): string {
  const space = open === "{" && parts.length > 0 ? " " : "";
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length <= lineCharacters && !line.includes("\n")) return line;
  const indent = "  ".repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${indent}${part},\n`).join("")}${"  ".repeat(depth)}${close}`;
}
