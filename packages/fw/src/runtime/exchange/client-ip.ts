import { isIP } from "node:net";
import { platformHops } from "../../lib/limits.ts";
import type { Exchange } from "./exchange.ts";

/** Where a request comes from: the socket's address, and behind a proxy what that says of it. */
export function clientIP(exchange: Pick<Exchange, "address" | "header">, isBehindProxy: boolean): string {
  const { address } = exchange;
  return isBehindProxy ? forwardedIP(exchange.header("x-forwarded-for"), address) : address;
}

/**
 * The client's address: the entry of X-Forwarded-For that the platform's hop appended, counted from the right, since
 * everything left of it is the client's own claim. A shorter or unreadable list means the socket's address.
 */
export function forwardedIP(
  forwardedFor: string | undefined,
  socketAddress: string,
  hops: number = platformHops,
): string {
  if (forwardedFor === undefined || hops === 0) return socketAddress;
  let end = forwardedFor.length;
  for (let hop = 1; hop < hops; hop++) {
    end = forwardedFor.lastIndexOf(",", end - 1);
    if (end <= 0) return socketAddress;
  }
  const entry = forwardedFor.slice(forwardedFor.lastIndexOf(",", end - 1) + 1, end).trim();
  return isIP(entry) === 0 ? socketAddress : plain(entry);
}

/** An IPv4 address as such, also where a dual-stack socket reports it inside an IPv6 one. */
export function plain(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
