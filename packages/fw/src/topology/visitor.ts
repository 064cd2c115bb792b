import { BlockList, isIP } from "node:net";
import { forwardedHops } from "../lib/limits.ts";
import { plain } from "../runtime/exchange/client-ip.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";

/** Where a request came from. */
export interface Visitor {
  readonly address: string;
  readonly scheme: "http" | "https";
}

/** Says where a request came from. */
export type VisitorOf = (exchange: Pick<Exchange, "address" | "header">) => Visitor;

/** Who is connected: whatever a request says of itself counts for nothing. */
export const connected: VisitorOf = ({ address }) => ({ address: plain(address), scheme: "http" });

/**
 * Believes `X-Forwarded-For` and `X-Forwarded-Proto` of the proxies that are named, and of nobody else: the visitor is the first
 * address from the right that is none of theirs. Throws a sentence where one is neither an address nor a network.
 */
export function behindProxies(named: readonly string[]): VisitorOf {
  const trusted = listOf(named);
  const isTrusted = (address: string): boolean => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return (exchange) => {
    const visitor = connected(exchange);
    if (isIP(visitor.address) === 0 || !isTrusted(visitor.address)) return visitor;
    const told = (exchange.header("x-forwarded-for") ?? "").split(",").toReversed().slice(0, forwardedHops);
    return { address: outermost(visitor.address, told, isTrusted), scheme: schemeIn(exchange) };
  };
}

/** What is no address ends the walk: whoever wrote it is no proxy that could be believed. */
function outermost(connected: string, told: readonly string[], isTrusted: (address: string) => boolean): string {
  let address = connected;
  for (const entry of told) {
    const before = plain(entry.trim());
    if (isIP(before) === 0) break;
    address = before;
    if (!isTrusted(address)) break;
  }
  return address;
}

/** As the proxy that is connected says, which is the last one in a list. */
function schemeIn(exchange: Pick<Exchange, "header">): Visitor["scheme"] {
  return /(?:^|,)\s*https\s*$/i.test(exchange.header("x-forwarded-proto") ?? "") ? "https" : "http";
}

function listOf(named: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of named) {
    const [address = "", bits, ...rest] = proxy.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const isWhole = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
    if (version === 0 || !isWhole || rest.length > 0)
      throw new Error(`"${proxy}" is no address of a proxy, as 127.0.0.1 is, and no network of them, as 10.0.0.0/8 is`);
    list.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
