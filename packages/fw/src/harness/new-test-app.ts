import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../declare/context.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import type { MailMessage } from "../declare/mail.ts";
import type { QueueDeclaration } from "../declare/queue.ts";
import { setSecret } from "../declare/secret.ts";
import type { SeedDeclaration } from "../declare/seed.ts";
import type { SocketDeclaration } from "../declare/socket.ts";
import type { TopicDeclaration } from "../declare/topic.ts";
import { observeSent } from "../platform/local/observe-sent.ts";
import { type LocalPlatform, openLocal } from "../platform/local/open.ts";
import type { Destination } from "../platform/messages.ts";
import type { Application } from "../runtime/application.ts";
import { userOf } from "../runtime/auth/user.ts";
import { decodeSent } from "../runtime/background/codec.ts";
import { runSeeds } from "../runtime/background/seed.ts";
import type { Bundle, BundledDestination } from "../runtime/bundle.ts";
import { outsideTransaction } from "../runtime/calls/origin.ts";
import { createApplication } from "../runtime/create-application.ts";
import { definitionsOf } from "../runtime/definitions.ts";
import type { LogRecord, LogSink } from "../runtime/observe/log.ts";
import { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { Served } from "../runtime/options.ts";
import { responder } from "../runtime/respond.ts";
import { type RunningServer, serve } from "../runtime/server.ts";
import { settings } from "../runtime/settings.ts";
import { Activity } from "./activity.ts";
import { type TestAlerts, watchAlerts } from "./alerts.ts";
import { TestBackground } from "./background.ts";
import { Browser } from "./browser.ts";
import type { FieldValue, SubmitOptions, TestClient, TestRequest } from "./client.ts";
import type { TestClock } from "./clock.ts";
import { TestContext } from "./context.ts";
import { ControlledClock } from "./controlled-clock.ts";
import type { TestMetrics } from "./metrics.ts";
import type { SignedIn, SignInAs } from "./signed-in.ts";
import type { TestApp, TestAppOptions } from "./test-app.ts";
import { testMetrics } from "./test-metrics.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";
import { TestUser } from "./test-user.ts";
import { wrapOperations } from "./wrap-operations.ts";

/** Milliseconds for running requests to finish when a test's application closes. */
const drainMs = 1_000;

/** Makes every retry use its shortest pause, so that the timing is predictable. */
const shortestPause = (): number => 0;

/** Creates an application from a bundle; it opens a port when the test sends its first request. */
export async function openTestApp(bundle: Bundle, { now = new Date() }: TestAppOptions = {}): Promise<TestApp> {
  const directory = mkdtempSync(join(tmpdir(), "fw-test-"));
  const clock = new ControlledClock(now.getTime());
  const platform = await openLocal(directory, definitionsOf(bundle), { clock, random: shortestPause, temporary: true });
  return new OpenTestApp(bundle, directory, platform, clock);
}

class OpenTestApp implements TestApp {
  readonly clock: TestClock;
  readonly logs: LogRecord[] = [];
  readonly metrics: TestMetrics;
  readonly alerts: TestAlerts;
  readonly #background: TestBackground;
  readonly #sent: SentMessages = new SentMessages();
  readonly #app: Served;
  readonly #directory: string;
  readonly #platform: LocalPlatform;
  readonly #secrets: Set<string> = new Set();
  readonly #end: AbortController = new AbortController();
  readonly #people: Set<TestUser> = new Set();
  readonly #activity: Activity = new Activity();
  #server: Promise<RunningServer> | undefined;

  constructor(bundle: Bundle, directory: string, local: LocalPlatform, clock: ControlledClock) {
    const platform = this.#sent.recording({
      ...local,
      accounts: wrapOperations(local.accounts, (call) => this.#track(call())),
    });
    const log: LogSink = (record) => this.logs.push({ ...record, at: new Date(clock.now()) });
    const store = new MetricStore({
      now: () => clock.now(),
      warn: (message) => log({ at: new Date(), level: "warn", message, tags: {}, fields: {} }),
    });
    const { alerts, metrics } = watchAlerts(bundle.alerts ?? [], store, () => clock.now());
    this.alerts = alerts;
    this.#app = createApplication(bundle, { settings: settings.test, platform, log, metrics });
    this.metrics = testMetrics(this.#app, store);
    this.#directory = directory;
    this.#platform = platform;
    const { signal } = this.#end;
    this.#background = new TestBackground({ app: this.#app, platform, clock, activity: this.#activity, signal });
    this.clock = clock;
    clock.drive(this.#background);
  }

  ctx(as?: SignedIn): Context {
    const person = as && this.#requireOwnPerson(as);
    return new TestContext({
      app: this.#app,
      host: testHost({ app: this.#app, person, ready: () => this.#signInsDone(), signal: this.#end.signal }),
      user: person && userOf(person.identity),
      signal: this.#end.signal,
    });
  }

  signIn(who: SignInAs): SignedIn {
    const { sessions, bundle } = this.#app;
    if (sessions === undefined || bundle.auth === undefined)
      throw new Fault("signIn needs an Auth: the application declares none");
    const person = new TestUser({ auth: bundle.auth, platform: this.#platform, sessions, people: this.#people }, who);
    this.#people.add(person);
    // Keep the clock from advancing before the session exists.
    void this.#activity.track(person.session);
    return person;
  }

  client(as?: SignedIn): TestClient {
    return new Browser({ origin: () => this.#origin(), endpoints: this.#app.bundle.endpoints }, as);
  }

  /** A property, because generated clients take it as `fetch: app.fetch`. */
  readonly fetch = (path: string, request?: TestRequest): Promise<Response> => this.client().fetch(path, request);

  submit(path: string, fields?: Readonly<Record<string, FieldValue>>, options?: SubmitOptions): Promise<Response> {
    return this.client().submit(path, fields, options);
  }

  socket<Req, In, Out>(
    socket: SocketDeclaration<Req, In, Out>,
    request: NoInfer<Req>,
    options?: TestSocketOptions,
  ): Promise<TestSocket<In, Out>> {
    return this.client().socket(socket, request, options);
  }

  async seed(...seeds: readonly SeedDeclaration[]): Promise<void> {
    const { seeds: bundledSeeds = [] } = this.#app.bundle;
    const chosenSeeds = seeds.map((seed) => bundledSeeds.find(({ declaration }) => declaration === seed));
    if (chosenSeeds.some((seed) => seed === undefined))
      throw new Fault("this seed is not part of the application of the test");
    await this.#activity.track(
      runSeeds(
        this.#app,
        chosenSeeds.filter((seed) => seed !== undefined),
      ),
    );
  }

  setSecret(name: string, value: string): void {
    this.#secrets.add(name);
    setSecret(name, value);
  }

  async drain(): Promise<void> {
    await this.#signInsDone();
    await this.#background.drain();
  }

  published<Event>(topic: TopicDeclaration<Event>): Event[] {
    return this.#messagesOf(topic) as Event[];
  }

  sent<Message>(queue: QueueDeclaration<Message>): Message[] {
    return this.#messagesOf(queue) as Message[];
  }

  get mails(): readonly MailMessage[] {
    const { bundle, destinations } = this.#app;
    const queues = new Set((bundle.mails ?? []).map(({ declaration }) => declaration.settings.queue));
    return this.#sent.of(...[...queues].flatMap((queue) => destinations.get(queue as never) ?? [])) as MailMessage[];
  }

  async close(): Promise<void> {
    this.#end.abort(new Error("the application of the test was closed"));
    await (await this.#server)?.close();
    await this.#signInsDone().catch(() => {});
    await this.#platform.close();
    for (const name of this.#secrets) setSecret(name, undefined);
    await rm(this.#directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #track(result: unknown): unknown {
    return result instanceof Promise ? this.#activity.track(result) : result;
  }

  #messagesOf(declaration: unknown): unknown[] {
    const destination = this.#app.destinations.get(declaration as BundledDestination["declaration"]);
    if (destination === undefined) throw new Fault("this topic or queue is not part of the application of the test");
    return this.#sent.of(destination);
  }

  #requireOwnPerson(as: SignedIn): TestUser {
    if (as instanceof TestUser && this.#people.has(as)) return as;
    throw new Fault(`${as.email} is signed in to the application of another test`);
  }

  /** Resolves when all pending sign-ins are complete. */
  async #signInsDone(): Promise<void> {
    await Promise.all([...this.#people].map((person) => person.cookie()));
  }

  /** Returns the origin once all sign-ins are complete, so that a request sees the roles that were set before it. */
  async #origin(): Promise<string> {
    await this.#signInsDone();
    const { port } = await (this.#server ??= this.#listen());
    return `http://127.0.0.1:${port}`;
  }

  #listen(): Promise<RunningServer> {
    return serve((exchange) => responder(this.#app)(exchange), {
      port: 0,
      host: "127.0.0.1",
      times: { drainMs },
    });
  }
}

/** The application and, unless the calls are anonymous, the user of a test's calls. */
interface TestCaller {
  readonly app: Application;
  readonly person: TestUser | undefined;
  /** Resolves when all pending sign-ins are complete. */
  readonly ready: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Implements a test's operations. Each call looks up the session as a request does, so that it sees newly granted
 * roles, or no user once the session has ended.
 */
function testHost({ app, person, ready, signal }: TestCaller): Host {
  const { host } = app;

  /** Returns the context of a call, which is outside of any transaction. */
  async function refreshContext(inner: Context): Promise<Context> {
    await ready();
    const ctx = outsideTransaction(inner);
    if (person === undefined || !(ctx instanceof TestContext)) return ctx;
    const { id } = await person.session;
    const session = await app.sessions?.find(id);
    return new TestContext({ app, host, user: session && userOf(session.identity), session: id, signal });
  }

  return {
    ...host,
    call: async (ctx, endpoint, request) => host.call(await refreshContext(ctx), endpoint, request),
    users: wrapOperations(host.users, async (operation) => {
      await ready();
      return operation();
    }),
  };
}

/** Records the messages that an application sends. Messages of a rolled-back transaction do not count. */
class SentMessages {
  readonly #sent: { readonly destination: Destination; readonly body: string }[] = [];

  /** Returns the decoded messages sent to some destinations, oldest first. */
  of(...destinations: readonly BundledDestination[]): unknown[] {
    return this.#sent.flatMap((sent) => {
      const { kind, name } = sent.destination;
      const destination = destinations.find((each) => each.kind === kind && each.name === name);
      return destination === undefined ? [] : [decodeSent(destination, sent.body).message];
    });
  }

  /** Wraps a platform so that its messages are recorded. */
  recording(platform: LocalPlatform): LocalPlatform {
    return observeSent(platform, (destination, body) => void this.#sent.push({ destination, body }));
  }
}
