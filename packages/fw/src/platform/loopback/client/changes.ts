import type { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createInterface } from "node:readline";
import { list, optional } from "../../../lib/codec.ts";
import { decodeTagged, encodeTagged } from "../../../lib/tagged-json.ts";
import type { ChangeListener, Changes } from "../../changes.ts";
import { key } from "../../codecs.ts";
import { isPlatformError } from "../../errors.ts";
import type { Connection } from "./connection.ts";

/** Milliseconds before a lost stream is reopened. */
const reopenMs = 100;

const notification = optional(list(key));

/** Subscribes to the changes that the serving process observes, which arrive as streams of lines. */
export function loopbackChanges(connection: Connection): Changes {
  return {
    watch(kinds, listener, signal) {
      const open: OpenStream = () => connection.download("changes/watch", encodeTagged([kinds]));
      void keepWatching(open, listener, AbortSignal.any([signal, connection.closing]));
    },
  };
}

type OpenStream = () => Promise<IncomingMessage>;

async function keepWatching(open: OpenStream, listener: ChangeListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await watchOnce(open, listener, signal);
    } catch (error) {
      // The serving process has already logged the refusal.
      if (isPlatformError(error, "denied")) return;
    }
    await wait(reopenMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/**
 * Calls the listener for each line of a stream; resolves when the stream ends. The first line means that the serving
 * process has started listening.
 */
async function watchOnce(open: OpenStream, listener: ChangeListener, signal: AbortSignal): Promise<void> {
  const response = await open();
  const end = (): void => void response.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    if (signal.aborted) return end();
    for await (const line of createInterface({ input: response, crlfDelay: Infinity }))
      listener(notification.read(decodeTagged(line), "the notification"));
  } finally {
    signal.removeEventListener("abort", end);
  }
}
