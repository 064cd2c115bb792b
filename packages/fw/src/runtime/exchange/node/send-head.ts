import type { OutgoingMessage } from "node:http";

/** Sends a head before its body, in the bytes that any other head is sent in: node's own `flushHeaders` writes what is beyond ASCII as UTF-8. */
export function sendHead(message: OutgoingMessage): void {
  message.write("", "latin1");
}
