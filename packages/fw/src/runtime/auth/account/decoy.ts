import type { Destination } from "../../../platform/messages.ts";

/** The event whose subscribers send account mails. */
export const mailEvent: Destination = { kind: "event", name: "auth.mail" };

/** A message sent in place of a mail, so response times do not reveal whether an address has an account. */
export const decoyBody: string = JSON.stringify({ purpose: "none" });

/** True for a decoy message, which must not reach any handler. */
export function isDecoy({ kind, name }: Destination, body: string): boolean {
  return kind === mailEvent.kind && name === mailEvent.name && body === decoyBody;
}
