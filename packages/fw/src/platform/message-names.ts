/** The names under which what is known of a message travels beside its body, as attributes or as headers. */
export const messageNames = {
  /** The message's id, also where whoever carries it gives it another. */
  id: "x-fw-id",
  /** When it was sent, RFC 3339. */
  sent: "x-fw-sent",
  /** The step of a trace that sent it, by the name that W3C gives it. */
  traceparent: "traceparent",
  /** The one consumer that it is for, where others get it too. */
  to: "x-fw-to",
  /** Of a dead one: how many attempts were made. */
  attempts: "x-fw-attempts",
  /** Of a dead one: what the last attempt failed with. */
  reason: "x-fw-reason",
} as const;

/** What a message died of that was given up without an answer of its handler. */
export const unknownReason = "not known: its last delivery was not answered; the log of the service may say why";
