// index.d.ts
import type { NewTestApp } from "./test-app.ts";
export type { TestAlerts } from "./alerts.ts";
export type { NewTestApp, TestApp, TestAppOptions } from "./test-app.ts";
export type { FieldValue, SubmitOptions, TestClient, TestRequest } from "./client.ts";
export type { SocketEnd, TestSocket, TestSocketOptions } from "./test-socket.ts";
export type { TestClock } from "./clock.ts";
export type { HistogramBucket, HistogramReading, MeasuredRoute, TestMetrics } from "./metrics.ts";
export type { CounterSeries, HistogramSeries, MetricSeries, MetricSnapshot, } from "../runtime/observe/metrics/snapshot.ts";
export type { SignedIn, SignInAs } from "./signed-in.ts";
export type { LogRecord } from "../runtime/observe/log.ts";
/**
 * Creates an application for a test: `await using app = await newTestApp()`. Uses the application whose modules the
 * test imports. Needs `fw test`, or Vitest with the plugin of `fw/vitest`.
 */
export declare const newTestApp: NewTestApp;

// alerts.d.ts
import type { AlertRule } from "../lib/alert-rule.ts";
import type { Metrics } from "../runtime/observe/metrics/metrics.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
/** The alerts of a test's application, evaluated every 30 seconds of its clock. */
export interface TestAlerts {
    /** Returns the names of the firing alerts, sorted. */
    firing(): readonly string[];
}
/** Returns the alerts, and metrics that bring the alerts up to date before they record a value. */
export declare function watchAlerts(rules: readonly AlertRule[], store: MetricStore, now: () => number): {
    readonly alerts: TestAlerts;
    readonly metrics: Metrics;
};

// test-app.d.ts
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

// client.d.ts
import type { SocketDeclaration } from "../declare/socket.ts";
import type { SignedIn } from "./signed-in.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";
/** Options for a test's request, in addition to the options of `fetch`. By default, redirects are not followed. */
export interface TestRequest extends Omit<RequestInit, "body"> {
    /** The user whose session the request carries. */
    readonly as?: SignedIn;
    /** A body that `fetch` accepts; other objects and arrays are sent as JSON. */
    readonly body?: unknown;
}
/** A value of a form field. */
export type FieldValue = string | number | boolean | Blob | readonly string[];
/** Options for submitting a form. */
export interface SubmitOptions extends Omit<TestRequest, "body" | "method"> {
    /** The page with the form. By default, the path that the form is sent to. */
    readonly from?: string;
}
/** A simulated browser for tests; stores cookies. */
export interface TestClient {
    /** Sends a request to a path of the application over a real connection. */
    readonly fetch: (path: string, request?: TestRequest) => Promise<Response>;
    /**
     * Reads the token from the form's page and posts it with the fields. Uses multipart if the form says so or a field is
     * a Blob.
     */
    submit(path: string, fields?: Readonly<Record<string, FieldValue>>, options?: SubmitOptions): Promise<Response>;
    /**
     * Opens a socket over a real connection: `app.socket(room, { id: "a" })`. If the application refuses it, rejects with
     * an error that has the response's status.
     */
    socket<Req, In, Out>(socket: SocketDeclaration<Req, In, Out>, request: NoInfer<Req>, options?: TestSocketOptions): Promise<TestSocket<In, Out>>;
}

// test-socket.d.ts
import type { SignedIn } from "./signed-in.ts";
/** Options for opening a socket. */
export interface TestSocketOptions {
    /** The user whose session the opening request carries. */
    readonly as?: SignedIn;
    /** Additional headers, such as the `Origin` of another page. */
    readonly headers?: Readonly<Record<string, string>>;
}
/** The end of a connection. */
export interface SocketEnd {
    /**
     * The code of the close frame, such as 1000 for a normal end or 4403 if the handler threw `Errorf(403, …)`; 1006 if
     * the connection was cut.
     */
    readonly code: number;
    readonly reason: string;
}
/**
 * The client's end of a socket. A loop over its messages ends after code 1000. After any other code, it throws an error
 * with `code` and `reason`.
 */
export interface TestSocket<In, Out> extends AsyncIterable<Out>, AsyncDisposable {
    /** Sends a message to the handler. */
    send(message: In): Promise<void>;
    /** Resolves with the handler's next message. After the end, rejects with an error that has `code` and `reason`. */
    receive(): Promise<Out>;
    /** Closes the connection and resolves when it has ended. Called by `await using`. */
    close(code?: number, reason?: string): Promise<SocketEnd>;
    /** Resolves when either side has ended the connection. */
    readonly closed: Promise<SocketEnd>;
}

// clock.d.ts
import type { Duration } from "../declare/duration.ts";
import type { Clock } from "../platform/contract.ts";
/** The clock of a test's application, which stands still until the test advances it. */
export interface TestClock extends Clock {
    /** Milliseconds since 1970 in UTC. */
    now(): number;
    /**
     * Advances the clock. Timers that become due fire at their instants, earliest first, including timers set along the
     * way. Crons therefore run, and messages are delivered when due. Running code takes no time on this clock: a handler
     * ends at the instant it started, however long it really takes. If it has not ended after a second of real time, the
     * clock advances, up to the handler's deadline.
     */
    advance(duration: Duration): Promise<void>;
}

// metrics.d.ts
import type { RequestLabels } from "../declare/alert.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
/** An endpoint, cron or job whose metrics a test reads, or "<unmatched>" for requests that match no endpoint. */
export type MeasuredRoute = EndpointDeclaration | CronDeclaration | JobDeclaration<unknown> | "<unmatched>";
/** The metrics of a test's application since its creation. */
export interface TestMetrics {
    /** Returns the sum of a counter. */
    counter(counter: CounterDeclaration): number;
    /** Returns the samples of a histogram. */
    histogram(histogram: HistogramDeclaration): HistogramReading;
    /** Counts responses, or runs of a cron or of a job's tasks. A run has the status `2xx` or `5xx`. */
    requests(of: MeasuredRoute, labels?: RequestLabels): number;
    /** Returns a histogram of request durations in milliseconds. */
    requestMs(of: MeasuredRoute): HistogramReading;
    /** Returns all metrics in their export format. */
    snapshot(): MetricSnapshot;
}
export interface HistogramReading {
    readonly count: number;
    readonly sum: number;
    /** The buckets with samples, lowest first. */
    readonly buckets: readonly HistogramBucket[];
    /**
     * Returns the `q` quantile of the samples (`percentile(0.95)`), estimated within its bucket; undefined without
     * samples.
     */
    percentile(q: number): number | undefined;
}
/** The number of samples in a half-open interval: `to` is exclusive. */
export interface HistogramBucket {
    readonly from: number;
    readonly to: number;
    readonly count: number;
}

// signed-in.d.ts
import type { RoleDeclaration } from "../declare/role.ts";
/** The user to sign in. */
export interface SignInAs {
    /** The user's email address. If an account has it, the user signs in to that account. */
    readonly email: string;
    /** The name of a new account; "" by default. */
    readonly name?: string;
    /** The new roles of the account. If omitted, the account keeps its roles. */
    readonly roles?: readonly RoleDeclaration[];
    /** The provider of the session. By default the declared one, or `social` if both are declared. */
    readonly provider?: "social" | "email";
    /** Whether the address of a new account counts as verified. True by default, and always for `social`. */
    readonly emailVerified?: boolean;
    /** The account's id. By default, the id of the account with this email address, or else a new id. */
    readonly id?: string;
}
/** A signed-in user. */
export interface SignedIn {
    /** The id of the account. */
    readonly id: string;
    readonly email: string;
    /** "" if the account has no name. */
    readonly name: string;
    /** The names of the roles at sign-in, sorted. */
    readonly roles: readonly string[];
    /** Returns the Cookie header of the session. */
    cookie(): Promise<string>;
}
