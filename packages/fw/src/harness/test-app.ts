import type { Context } from "../declare/context.ts";
import type { MailMessage } from "../declare/mail.ts";
import type { QueueDeclaration } from "../declare/queue.ts";
import type { SeedDeclaration } from "../declare/seed.ts";
import type { TopicDeclaration } from "../declare/topic.ts";
import type { LogRecord } from "../runtime/observe/log.ts";
import type { TestAlerts } from "./alerts.ts";
import type { TestClient } from "./client.ts";
import type { TestClock } from "./clock.ts";
import type { TestMetrics } from "./metrics.ts";
import type { SignedIn, SignInAs } from "./signed-in.ts";

/** Options for a test's application. */
export interface TestAppOptions {
  /** The initial time of its clock; by default now. */
  readonly now?: Date;
}

/** An application of a test, with its own store, clock and log. */
export interface TestApp extends TestClient, AsyncDisposable {
  /** Returns the context that calls and operations take, with or without a user. */
  ctx(as?: SignedIn): Context;
  /** Signs a user in with an account and a session in the application's store. */
  signIn(who: SignInAs): SignedIn;
  /** Returns a browser with its own cookies, with or without a signed-in user. */
  client(as?: SignedIn): TestClient;
  /** Runs seeds one after the other. */
  seed(...seeds: readonly SeedDeclaration[]): Promise<void>;
  /** Sets a secret until the application is closed. In tests, secrets have no other values. */
  setSecret(name: string, value: string): void;
  /** The clock, which only the test advances. */
  readonly clock: TestClock;
  /**
   * Delivers all messages, including messages that handlers send during the call. Skips delays and pauses before
   * retries. If a handler does not end, the clock advances to its deadline. Without `drain`, messages are delivered
   * only while `clock.advance` runs.
   */
  drain(): Promise<void>;
  /** Returns the events published to a topic, oldest first. */
  published<Event>(topic: TopicDeclaration<Event>): Event[];
  /** Returns the messages sent to a queue, oldest first. */
  sent<Message>(queue: QueueDeclaration<Message>): Message[];
  /** The mails that `mail.send` has sent to their queues, oldest first. */
  readonly mails: readonly MailMessage[];
  /** The metrics so far. */
  readonly metrics: TestMetrics;
  /** The alerts and whether they fire. */
  readonly alerts: TestAlerts;
  /** All log records, oldest first; `at` is the time of the clock. */
  readonly logs: readonly LogRecord[];
  /** Gives running requests a second to finish, and deletes the application's data. Called by `await using`. */
  close(): Promise<void>;
}

/** Creates an application for a test, which `await using` closes. */
export type NewTestApp = (options?: TestAppOptions) => Promise<TestApp>;
