import type { DeadMessage } from "../../messages.ts";
import { destinationOf } from "./inbox.ts";

/** Reads a dead message from a row of an SQL store. */
export function deadMessage(row: Readonly<Record<string, unknown>>): DeadMessage {
  const { n, receiver, carrier, id, sent, died, attempts, reason, body } = row;
  return {
    position: Number(n),
    id: String(id),
    consumer: String(receiver),
    destination: destinationOf(String(carrier)),
    attempts: Number(attempts),
    body: String(body),
    sent: new Date(Number(sent)),
    died: new Date(Number(died)),
    reason: String(reason),
  };
}
