import { once } from "node:events";
import type { ClientRequest } from "node:http";
import { answerTo, resultOf } from "./answer.ts";

/**
 * Sends a body at its pace and the consumer's; what is answered. Where the body fails or a signal aborts, the connection is
 * cut, so that nothing is kept, and it rejects with their reason. The body is let go of in every case.
 */
export async function upload(
  request: ClientRequest,
  body: ReadableStream<Uint8Array>,
  signals: readonly AbortSignal[],
): Promise<unknown> {
  const reader = body.getReader();
  const answered = answerTo(request).then(resultOf);
  const cut = new AbortController();
  const aborted = abortion(signals, cut.signal);
  const sent = send(request, reader);
  // Whichever is not waited for any more fails unheard.
  for (const outcome of [sent, answered]) outcome.catch(() => {});
  try {
    // An answer that comes before the body's end is a refusal.
    await Promise.race([sent, answered, aborted]);
    return await Promise.race([answered, aborted]);
  } catch (error) {
    request.destroy();
    reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    cut.abort();
  }
}

/** Rejects with the reason of the first signal that aborts; listens to them until `over` does. */
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

/** Resolves when everything is sent, or the connection is cut: what is answered then says why. */
async function send(request: ClientRequest, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (request.destroyed) return;
    if (!request.write(next.value)) await once(request, "drain").catch(() => {});
  }
  request.end();
}
