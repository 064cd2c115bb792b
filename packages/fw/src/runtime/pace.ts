import type { IncomingMessage } from "node:http";
import { bodyBytesPerSecond, slowCheckMs } from "../lib/limits.ts";

interface Paced {
  readonly req: IncomingMessage;
  readonly since: number;
  /** Bytes the connection had received by then. */
  readonly from: number;
  readonly graceMs: number;
}

const bodies = new Set<Paced>();
let timer: NodeJS.Timeout | undefined;

/**
 * Cuts the connection when, `graceMs` from now or later, the body has come slower than `bodyBytesPerSecond` on average.
 * Call what it returns when the body is there.
 */
export function watchPace(req: IncomingMessage, graceMs: number): () => void {
  const body: Paced = { req, since: performance.now(), from: req.socket.bytesRead, graceMs };
  bodies.add(body);
  timer ??= setInterval(cutStalled, Math.min(slowCheckMs, graceMs)).unref();
  return () => {
    bodies.delete(body);
  };
}

function cutStalled(): void {
  const now = performance.now();
  for (const body of bodies) {
    const { req, since, from, graceMs } = body;
    const elapsed = now - since;
    if (elapsed < graceMs || (req.socket.bytesRead - from) * 1000 >= elapsed * bodyBytesPerSecond) continue;
    bodies.delete(body);
    req.socket.destroy();
  }
  if (bodies.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
