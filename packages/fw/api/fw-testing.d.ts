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
 * Makes an application for a test: `await using app = await newTestApp()`. It is the one whose modules the test imports,
 * where the tests run by `fw test` or by Vitest with the plugin of `fw/vitest`.
 */
export declare const newTestApp: NewTestApp;

// alerts.d.ts
import type { AlertRule } from "../lib/alert-rule.ts";
import type { Metrics } from "../runtime/observe/metrics/metrics.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
/** The alerts of the application of a test. They are looked at every 30 seconds of its clock, from when it was made. */
export interface TestAlerts {
    /** The names of those that fire now, sorted. */
    firing(): readonly string[];
}
/** The alerts of an application, and its metrics as they tell them of the time before they count. */
export declare function watched(rules: readonly AlertRule[], store: MetricStore, now: () => number): {
    readonly alerts: TestAlerts;
    readonly metrics: Metrics;
};

// test-app.d.ts
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

// client.d.ts
import type { SocketDeclaration } from "../declare/socket.ts";
import type { SignedIn } from "./signed-in.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";
/** A request of a test; what `fetch` takes, and the following. Redirects are not followed unless it says so. */
export interface TestRequest extends Omit<RequestInit, "body"> {
    /** Whose session the request carries. */
    readonly as?: SignedIn;
    /** What `fetch` takes; another object or array is sent as JSON. */
    readonly body?: unknown;
}
/** A value of a form's field. */
export type FieldValue = string | number | boolean | Blob | readonly string[];
/** How a form is submitted. */
export interface SubmitOptions extends Omit<TestRequest, "body" | "method"> {
    /** The page that holds the form; by default the one at the path that it is submitted to. */
    readonly from?: string;
}
/** A browser of a test: it keeps the cookies that it is given. */
export interface TestClient {
    /** A request to a path of the application, over a real connection. */
    fetch(path: string, request?: TestRequest): Promise<Response>;
    /** Reads the form's token from its page and posts the fields with it, as multipart where one of them is a Blob. */
    submit(path: string, fields?: Readonly<Record<string, FieldValue>>, options?: SubmitOptions): Promise<Response>;
    /**
     * Opens a socket over a real connection: `app.socket(room, { id: "a" })`. Where the application refuses it, rejects with the error of
     * that status.
     */
    socket<Req, In, Out>(socket: SocketDeclaration<Req, In, Out>, request: NoInfer<Req>, options?: TestSocketOptions): Promise<TestSocket<In, Out>>;
}

// test-socket.d.ts
import type { SignedIn } from "./signed-in.ts";
/** How a test opens a socket. */
export interface TestSocketOptions {
    /** Whose session it begins with. */
    readonly as?: SignedIn;
    /** Headers beside those of its request, such as the `Origin` of another page. */
    readonly headers?: Readonly<Record<string, string>>;
}
/** How a connection ended. */
export interface SocketEnd {
    /** As of a close frame: 1000 where all is well, 4403 where the handler threw `Errorf(403, …)`; 1006 where it was cut. */
    readonly code: number;
    readonly reason: string;
}
/**
 * A visitor's end of a socket. The loop over what the handler sends ends with 1000, and throws an error with `code` and `reason` after any
 * other end.
 */
export interface TestSocket<In, Out> extends AsyncIterable<Out>, AsyncDisposable {
    /** Sends the handler a message. */
    send(message: In): Promise<void>;
    /** The next message of the handler; rejects with an error that has `code` and `reason` where there is none any more. */
    receive(): Promise<Out>;
    /** Ends the connection and resolves when it has ended. `await using` calls it. */
    close(code?: number, reason?: string): Promise<SocketEnd>;
    /** Resolves when the connection has ended, whoever ended it. */
    readonly closed: Promise<SocketEnd>;
}

// clock.d.ts
import type { Duration } from "../declare/duration.ts";
import type { Clock } from "../platform/contract.ts";
/** The time of a test's application: it stands still until the test advances it. */
export interface TestClock extends Clock {
    /** Milliseconds since 1970 in UTC. */
    now(): number;
    /**
     * Lets so much time pass. What waits for an instant on the way goes on at that instant, the earliest first, and what it
     * then waits for counts too: crons run, and messages are delivered when they are due. Time does not pass for what is
     * under way: a handler ends at the instant at which it began, however long it really takes, unless a second of real time
     * and more says that it waits for time to pass, up to its deadline.
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
/** What requests are counted of: an endpoint, a cron or a job; "<unmatched>" for those that none of them answers. */
export type MeasuredRoute = EndpointDeclaration | CronDeclaration | JobDeclaration<unknown> | "<unmatched>";
/** What the application of a test has counted since it was made. */
export interface TestMetrics {
    /** The sum of what was added to a counter. */
    counter(counter: CounterDeclaration): number;
    /** What a histogram has of its samples. */
    histogram(histogram: HistogramDeclaration): HistogramReading;
    /** Requests that were answered, and runs of a cron or of a job's tasks, which are `2xx` or `5xx`. */
    requests(of: MeasuredRoute, labels?: RequestLabels): number;
    /** How many milliseconds they took. */
    requestMs(of: MeasuredRoute): HistogramReading;
    /** Everything, as it is exported. */
    snapshot(): MetricSnapshot;
}
export interface HistogramReading {
    readonly count: number;
    readonly sum: number;
    /** Those that have samples, the lowest first. */
    readonly buckets: readonly HistogramBucket[];
    /** The value below which the share `q` of the samples is (`percentile(0.95)`), estimated within its bucket; undefined without samples. */
    percentile(q: number): number | undefined;
}
/** The samples from one bound to below another. */
export interface HistogramBucket {
    readonly from: number;
    readonly to: number;
    readonly count: number;
}

// signed-in.d.ts
import type { RoleDeclaration } from "../declare/role.ts";
/** Who signs in. */
export interface SignInAs {
    /** Their address; an account of it that is there signs in. */
    readonly email: string;
    /** The account's where it is there already; "" by default. */
    readonly name?: string;
    /** The roles of the account from now on; those that it has, or none, by default. */
    readonly roles?: readonly RoleDeclaration[];
    /** The provider that the session comes from; by default the one that is declared, `social` of both. */
    readonly provider?: "social" | "email";
    /** The provider's claim about the address; true by default, and always of `social`. */
    readonly emailVerified?: boolean;
    /** The account's, where it matters. */
    readonly id?: string;
}
/** Somebody who is signed in. */
export interface SignedIn {
    /** The account's. */
    readonly id: string;
    /** Their address. */
    readonly email: string;
    /** "" where none was given. */
    readonly name: string;
    /** Names of the roles that they signed in with, sorted. */
    readonly roles: readonly string[];
    /** The Cookie header of their session. */
    cookie(): Promise<string>;
}
