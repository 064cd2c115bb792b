import type { Destination } from "../../../platform/messages.ts";

/** The event whose subscribers send mails. */
export const mailEvent: Destination = { kind: "event", name: "auth.mail" };

/** A message in place of a mail, so that an address without an account causes the same work. */
export const decoyBody: string = JSON.stringify({ purpose: "none" });

/** True for a message that stands in for a mail and must not reach a handler. */
export function isDecoy({ kind, name }: Destination, body: string): boolean {
  return kind === mailEvent.kind && name === mailEvent.name && body === decoyBody;
}
