import type { OutgoingMessage } from "node:http";

/**
 * Sends the head before the body, encoded like any other head: node's `flushHeaders` would encode characters beyond
 * ASCII as UTF-8.
 */
export function sendHead(message: OutgoingMessage): void {
  message.write("", "latin1");
}
