import { shutdownMs } from "../lib/limits.ts";
import { forwardedHeader } from "../runtime/access/trusted-proxy.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import { announcedBytes } from "../runtime/exchange/readable-body.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { connected, type ClientOf } from "./client-address.ts";
import { listening, requestWait, type ListeningPool, type PoolOf } from "./listening.ts";

export interface ForwardedTo {
  readonly service: string;
  /** The methods for the Allow header, instead of the service's own. */
  readonly allow?: readonly string[];
  /** Replaces the request's body, which has already been read. */
  readonly body?: Buffer;
}

export interface Forwards {
  /** Resolves when the response has ended or the connection is upgraded. */
  forward(request: Request, to: ForwardedTo): Promise<void>;
  close(): void;
}

/**
 * The result of an attempt: the exchange is finished (`over`), the service received nothing, or the connection was cut
 * before a response.
 */
export type Outcome = "over" | "not received" | "cut";

interface AttemptOptions {
  readonly service: string;
  readonly poolOf: PoolOf;
  /** Returns the message to clients while a service is not running. */
  readonly unavailable: (service: string) => string;
  /** The longest pause between two attempts, in milliseconds. */
  readonly pauseCeilingMs: number;
}

/** Headers that only a front sets. */
export const frontHeaders: ReadonlySet<string> = new Set(["x-forwarded-for", "x-forwarded-proto", forwardedHeader]);

/** Milliseconds before the second attempt. Doubles each time, up to `pauseCeilingMs`. */
const pauseMs = 20;

/**
 * The maximum duration of all attempts in milliseconds, without waits for a restart. After an error, a service accepts
 * no connections until it has finished its work and restarted.
 */
const attemptsMs = shutdownMs;

/**
 * The maximum number of attempts for a repeatable request if its connection is cut without a response. A service that
 * stops listening cuts connections it has not accepted, but a request may also crash every process it reaches.
 */
const cutAttempts = 2;

/**
 * Repeats an attempt until the exchange is finished. Waits briefly for a service that is restarting. If the service
 * cannot handle the request, responds with 502 or 503.
 */
export async function attemptUntilOver(
  request: Request,
  { service, poolOf, unavailable, pauseCeilingMs }: AttemptOptions,
  attempt: (pool: ListeningPool) => Promise<Outcome>,
): Promise<void> {
  const { exchange } = request;
  const wait = requestWait(exchange);
  let remainingMs = attemptsMs;
  let cuts = 0;
  for (let pause = pauseMs; remainingMs > 0; pause = Math.min(pause * 2, pauseCeilingMs)) {
    const pool = await listening(service, poolOf, wait);
    if (!exchange.isOpen) return;
    if (pool === undefined || pool.hasFailed) break;
    const startedAt = performance.now();
    const outcome = await attempt(pool);
    if (outcome === "over") return;
    if (outcome === "cut" && (++cuts === cutAttempts || !isRepeatable(exchange))) return sayNoAnswer(request, service);
    await new Promise((resolve) => setTimeout(resolve, pause));
    remainingMs -= performance.now() - startedAt;
  }
  refuse(request, { status: 503, message: unavailable(service) });
}

/**
 * Responds after a service has cut the connection or sent no valid response. If the client is still sending, cuts its
 * connection instead, because the service may have cut its own for a client that is too slow.
 */
export function sayNoAnswer(request: Request, service: string): void {
  const { exchange } = request;
  if (announcesBody(exchange) && !exchange.isComplete) return exchange.cut();
  refuse(request, { status: 502, message: `the service ${service} does not respond` });
}

/** Returns the headers that name the client to a service, as alternating names and values. */
export function clientHeaders(exchange: Exchange, clientOf: ClientOf = connected): readonly string[] {
  const before = exchange.header("x-forwarded-for");
  const { address, scheme } = clientOf(exchange);
  return ["X-Forwarded-For", before === undefined ? address : `${before}, ${address}`, "X-Forwarded-Proto", scheme];
}

/** True if the request has no body and is safe to repeat. */
export function isRepeatable(exchange: Exchange): boolean {
  return isRead(exchange) && !announcesBody(exchange);
}

export function isRead({ method }: Exchange): boolean {
  return method === "GET" || method === "HEAD";
}

/** True if the client announces a body. Nothing follows a length of 0, even if the client expects 100-continue. */
export function announcesBody(exchange: Pick<Exchange, "header">): boolean {
  return announcedBytes(exchange) !== 0;
}
