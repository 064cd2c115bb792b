/** A message to publish. */
export interface OutgoingMessage {
  /** Base64. */
  readonly data?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
}

/** Publishes messages for other parts of the cloud. */
export interface Publisher {
  /** Publishes as an account of the cloud; does nothing if the account lacks the permission. */
  publishAs(account: string, topic: string, message: OutgoingMessage): void;
}
