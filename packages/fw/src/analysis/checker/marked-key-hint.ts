/** A marker around literals in TypeScript's error 7053: `Query<"open" | "paid">`. */
const markedKey =
  /expression of type '(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|-?\d+)(?: \| (?:"[^"]*"|-?\d+))*)(?:, "[^"]*")?>' can't be used to index type/;

/**
 * Adds a hint to TypeScript's error 7053 for a key with a marked type. TypeScript indexes only by literals. A marked
 * literal is an intersection, but assignable to the plain literal.
 */
export function markedKeyHint(message: string, access: string): string | undefined {
  const [, plain] = markedKey.exec(message) ?? [];
  if (plain === undefined || message.includes("does not exist on type")) return undefined;
  const [, key = "…"] = /\[\s*([\w$.]+)\s*\]$/.exec(access) ?? [];
  const name = key.split(".").at(-1);
  const variable = name === undefined || name === key ? "key" : name;
  return `name the plain type first, as in \`const ${variable}: ${plain} = ${key}\`, and index with it`;
}
