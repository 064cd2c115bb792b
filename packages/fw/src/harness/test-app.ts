import type { Context } from "../declare/context.ts";
import type { QueueDeclaration } from "../declare/queue.ts";
import type { TopicDeclaration } from "../declare/topic.ts";
import type { LogRecord } from "../runtime/observe/log.ts";
import type { TestAlerts } from "./alerts.ts";
import type { TestClient } from "./client.ts";
import type { TestClock } from "./clock.ts";
import type { TestMetrics } from "./metrics.ts";
import type { SignedIn, SignInAs } from "./signed-in.ts";

/** How the application of a test is made. */
export interface TestAppOptions {
  /** The instant at which its clock stands; the present by default. */
  readonly now?: Date;
}

/** An application of a test: an own store, an own clock, an own log. */
export interface TestApp extends TestClient, AsyncDisposable {
  /** What calls and operations take first: for somebody who is signed in, or for nobody. */
  ctx(as?: SignedIn): Context;
  /** Signs somebody in, with an account and a session in the application's store. */
  signIn(who: SignInAs): SignedIn;
  /** A browser of its own, which keeps the cookies that it is given; that of somebody who is signed in, or of nobody. */
  client(as?: SignedIn): TestClient;
  /** Gives a secret its value, until the application is closed. Secrets have no other values in tests. */
  setSecret(name: string, value: string): void;
  /** The time, which the test alone lets pass. */
  readonly clock: TestClock;
  /**
   * Delivers everything that was sent and published, and what is sent meanwhile, without waiting for its time: a delay, a
   * retry. For a handler that does not end, the clock moves on to its deadline. Otherwise messages are delivered while
   * `clock.advance` lets time pass.
   */
  drain(): Promise<void>;
  /** What was published to a topic, oldest first. */
  published<Event>(topic: TopicDeclaration<Event>): Event[];
  /** What was sent to a queue, oldest first. */
  sent<Message>(queue: QueueDeclaration<Message>): Message[];
  /** What was counted so far. */
  readonly metrics: TestMetrics;
  /** Which alerts fire. */
  readonly alerts: TestAlerts;
  /** Every record that was logged, oldest first; `at` is the time of the clock. */
  readonly logs: readonly LogRecord[];
  /** Lets requests finish, and removes what the application kept. `await using` calls it. */
  close(): Promise<void>;
}

/** Makes an application for a test; closed by `await using`. */
export type NewTestApp = (options?: TestAppOptions) => Promise<TestApp>;
