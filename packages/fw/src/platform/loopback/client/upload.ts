import { once } from "node:events";
import type { ClientRequest } from "node:http";
import { answerTo, resultOf } from "./answer.ts";

/**
 * Sends a body with backpressure and returns the response's result. If the body fails or a signal aborts, closes the
 * connection, so that nothing is stored, and rejects with the reason. Always cancels an unfinished body.
 */
export async function upload(
  request: ClientRequest,
  body: ReadableStream<Uint8Array>,
  signals: readonly AbortSignal[],
): Promise<unknown> {
  const reader = body.getReader();
  const answer = answerTo(request).then(resultOf);
  const cleanUp = new AbortController();
  const aborted = abortion(signals, cleanUp.signal);
  const sending = send(request, reader);
  // Promises that lose the race below may still reject.
  for (const outcome of [sending, answer]) outcome.catch(() => {});
  try {
    // A response before the end of the body is a refusal.
    await Promise.race([sending, answer, aborted]);
    return await Promise.race([answer, aborted]);
  } catch (error) {
    request.destroy();
    reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    cleanUp.abort();
  }
}

/** Rejects with the reason of the first signal that aborts. Removes its listeners when `over` aborts. */
function abortion(signals: readonly AbortSignal[], over: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { signal: over });
    }
  });
  aborted.catch(() => {});
  return aborted;
}

/**
 * Sends the body. Resolves when all of it is sent or the connection has closed; in the latter case, the response has
 * the reason.
 */
async function send(request: ClientRequest, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (request.destroyed) return;
    if (!request.write(next.value)) await once(request, "drain").catch(() => {});
  }
  request.end();
}
