import type { Symbol, Type } from "typescript/unstable/async";

export async function isJson(type: Type): Promise<boolean> {
  const alias = await type.getAliasSymbol();
  return alias !== undefined && alias.name === "Json" && isOfFw(alias);
}

/** True for the method of fw's `User`, even if another type inherits it. */
export function isMethodOfUser(symbol: Symbol): boolean {
  return symbol.name === "hasRole" && symbol.declarations.some(({ path }) => /\/declare\/user\.(d\.)?ts$/.test(path));
}

/** True for a type that fw uses to bind or mark values. */
export function isOfFw(symbol: Symbol): boolean {
  return symbol.declarations.some(({ path }) => /\/declare\/binding\.(d\.)?ts$/.test(path));
}

/** True for the result of fw's `reply`. */
export function isReply(symbol: Symbol): boolean {
  return symbol.name === "Reply" && isDeclaredIn(symbol, /\/declare\/reply\.(d\.)?ts$/);
}

/** True for an error with a status, as `Errorf` creates it. */
export function isStatusError(symbol: Symbol): boolean {
  return symbol.name === "StatusError" && isDeclaredIn(symbol, /\/declare\/errors\.(d\.)?ts$/);
}

/** True for the result of fw's `events`. */
export function isEvents(symbol: Symbol): boolean {
  return symbol.name === "Events" && isDeclaredIn(symbol, /\/declare\/events\.(d\.)?ts$/);
}

/** True for fw's `Raw`. */
export function isRaw(symbol: Symbol): boolean {
  return symbol.name === "Raw" && isDeclaredIn(symbol, /\/declare\/raw\.(d\.)?ts$/);
}

function isDeclaredIn(symbol: Symbol, file: RegExp): boolean {
  return symbol.declarations.some(({ path }) => file.test(path));
}
