import { BlockList, isIP } from "node:net";
import { plain } from "../runtime/exchange/client-ip.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";

/** Limit: X-Forwarded-For entries that are read if the proxies are trusted. */
const forwardedHops = 16;

export interface Client {
  readonly address: string;
  readonly scheme: "http" | "https";
}

/** Determines the client of a request. */
export type ClientOf = (exchange: Pick<Exchange, "address" | "header">) => Client;

/** Uses the address of the connection and ignores the request's headers. */
export const connected: ClientOf = ({ address }) => ({ address: plain(address), scheme: "http" });

/**
 * Trusts `X-Forwarded-For` and `X-Forwarded-Proto` only from the given proxies. The client is the rightmost address
 * that does not belong to a proxy. Throws an Error that names an invalid address or network.
 */
export function behindProxies(proxies: readonly string[]): ClientOf {
  const trusted = listOf(proxies);
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const isTrustedProxy = rememberLast((address) => isIP(address) !== 0 && isTrusted(address));
  return (exchange) => {
    const visitor = connected(exchange);
    if (!isTrustedProxy(visitor.address)) return visitor;
    const forwarded = (exchange.header("x-forwarded-for") ?? "").split(",").toReversed().slice(0, forwardedHops);
    return { address: outermost(visitor.address, forwarded, isTrusted), scheme: schemeIn(exchange) };
  };
}

/** Trusts the last entries of `X-Forwarded-For` and `X-Forwarded-Proto`, which another machine's front wrote. */
export const forwardedClient: ClientOf = (exchange) => ({
  address: (exchange.header("x-forwarded-for") ?? "").split(",").at(-1)?.trim() ?? "",
  scheme: schemeIn(exchange),
});

/** Caches the last result: most requests come from one proxy, and a check costs more than the rest of forwarding. */
function rememberLast(check: (address: string) => boolean): (address: string) => boolean {
  let last: { readonly address: string; readonly result: boolean } | undefined;
  return (address) => {
    if (last?.address !== address) last = { address, result: check(address) };
    return last.result;
  };
}

/**
 * Returns the rightmost forwarded address that is not a trusted proxy's; without one, the last address that it has
 * checked. Stops at an invalid address, because no trusted proxy would write one.
 */
function outermost(connected: string, forwarded: readonly string[], isTrusted: (address: string) => boolean): string {
  let address = connected;
  for (const entry of forwarded) {
    const before = plain(entry.trim());
    if (isIP(before) === 0) break;
    address = before;
    if (!isTrusted(address)) break;
  }
  return address;
}

/** Returns the scheme in the last entry of `X-Forwarded-Proto`, which the connected proxy added. */
function schemeIn(exchange: Pick<Exchange, "header">): Client["scheme"] {
  return /(?:^|,)\s*https\s*$/i.test(exchange.header("x-forwarded-proto") ?? "") ? "https" : "http";
}

function listOf(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits, ...rest] = proxy.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const isWhole = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
    if (version === 0 || !isWhole || rest.length > 0)
      throw new Error(`"${proxy}" is neither an address such as 127.0.0.1 nor a network such as 10.0.0.0/8`);
    list.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
