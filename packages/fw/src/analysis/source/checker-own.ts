import type { Symbol, Type } from "typescript/unstable/async";

/** True for fw's `Json`. */
export async function isJson(type: Type): Promise<boolean> {
  const alias = await type.getAliasSymbol();
  return alias !== undefined && alias.name === "Json" && isOfFw(alias);
}

/** True for a type that fw declares to bind and mark values. */
export function isOfFw(symbol: Symbol): boolean {
  return symbol.declarations.some(({ path }) => /\/declare\/binding\.(d\.)?ts$/.test(path));
}
