import type { OutgoingMessage } from "node:http";

/**
 * Sends the head before the body, with the usual encoding: Node's `flushHeaders` would encode non-ASCII characters as
 * UTF-8.
 */
export function sendHead(message: OutgoingMessage): void {
  message.write("", "latin1");
}
