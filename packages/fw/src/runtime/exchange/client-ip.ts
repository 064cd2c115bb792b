import { isIP } from "node:net";
import { platformHops } from "../../lib/limits.ts";
import type { Exchange } from "./exchange.ts";

/** Returns the client's address, as reported by the proxy if there is one, otherwise by the socket. */
export function clientIP(exchange: Pick<Exchange, "address" | "header">, isBehindProxy: boolean): string {
  const { address } = exchange;
  return isBehindProxy ? forwardedIP(exchange.header("x-forwarded-for"), address) : address;
}

/**
 * Returns the X-Forwarded-For entry that the platform's proxy appended. Counts from the right, because the client
 * controls everything to the left. Falls back to the socket's address if the list is too short or invalid.
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

/** Converts an IPv4-mapped IPv6 address, as a dual-stack socket reports it, to IPv4. */
export function plain(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
