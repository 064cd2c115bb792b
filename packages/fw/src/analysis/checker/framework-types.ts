import type { Symbol, Type } from "typescript/unstable/async";

export async function isJson(type: Type): Promise<boolean> {
  const alias = await type.getAliasSymbol();
  return alias !== undefined && alias.name === "Json" && isOfFw(alias);
}

/** True for the `hasRole` method of fw's `User`, even if another type inherits it. */
export function isMethodOfUser(symbol: Symbol): boolean {
  return symbol.name === "hasRole" && symbol.declarations.some(({ path }) => /\/declare\/user\.(d\.)?ts$/.test(path));
}

/** True for a type that fw uses to bind or mark values. */
export function isOfFw(symbol: Symbol): boolean {
  return symbol.declarations.some(({ path }) => /\/declare\/binding\.(d\.)?ts$/.test(path));
}

/** The files of `declare/` that declare types with a special meaning in responses. */
const files = { Events: "events", Raw: "raw", Reply: "reply", StatusError: "errors" } as const;

/** Returns the name of fw's type for raw responses, replies, errors or events; undefined for other types. */
export function frameworkTypeName(symbol: Symbol): keyof typeof files | undefined {
  const { name } = symbol;
  if (!isFileName(name)) return undefined;
  const file = new RegExp(`/declare/${files[name]}\\.(d\\.)?ts$`);
  return symbol.declarations.some(({ path }) => file.test(path)) ? name : undefined;
}

function isFileName(name: string): name is keyof typeof files {
  return Object.hasOwn(files, name);
}
