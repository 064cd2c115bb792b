/** A message as it is published. */
export interface OutgoingMessage {
  /** Base64. */
  readonly data?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
}

/** Publishes messages of other parts of the cloud. */
export interface Publisher {
  /** Publishes as one of the cloud's own accounts; nothing happens where that may not. */
  publishAs(account: string, topic: string, message: OutgoingMessage): void;
}
