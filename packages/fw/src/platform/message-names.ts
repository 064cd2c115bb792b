/** The attributes or headers that carry a message's metadata next to its body. */
export const messageNames = {
  /** The message's id, even if the transport assigns its own. */
  id: "x-fw-id",
  /** The time of sending, RFC 3339. */
  sent: "x-fw-sent",
  /** The sender's trace context, under the name that W3C defines. */
  traceparent: "traceparent",
  /** The only consumer that should receive the message, even if others subscribe to its destination. */
  to: "x-fw-to",
  attempts: "x-fw-attempts",
  /** For dead messages: the last attempt's error. */
  reason: "x-fw-reason",
  /** Present if the message is not dead but waits for code that accepts it. */
  waits: "x-fw-waits",
} as const;

/** The reason of a dead message whose handler never responded. */
export const unknownReason = "unknown: the last delivery got no response; check the log of the service";
