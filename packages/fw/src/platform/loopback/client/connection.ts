import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { closedError, PlatformError } from "../../errors.ts";
import { PendingCalls } from "../../pending-calls.ts";
import type { Lifetime } from "../../lifetime.ts";
import { argumentsHeader, instanceHeader } from "../protocol.ts";
import { answerTo, BrokenConnection, resultOf } from "./answer.ts";

/** Limit: connections from a service to a platform in another process, except for objects and changes. */
export const loopbackConnections = 16;

/** The address of a platform and the caller's credentials. */
export interface Address {
  readonly url: string;
  /** Returns a currently valid token for the service. */
  readonly token: () => string;
}

interface SendOptions {
  readonly agent?: Agent;
  /** If it ends before a connection is available, the call is not sent. */
  readonly lifetime?: Lifetime | undefined;
}

export class Connection {
  readonly #address: Address;
  readonly #host: string;
  readonly #port: number;
  /** The URL's path, which precedes the operation's; may be empty. */
  readonly #path: string;
  readonly #instance = randomUUID();
  readonly #calls = new Agent({ keepAlive: true, maxSockets: loopbackConnections });
  /** Unlimited, because copying an object needs two connections at once. */
  readonly #streams = new Agent({ keepAlive: true });
  readonly #underWay = new PendingCalls();
  readonly #closing = new AbortController();

  constructor(address: Address) {
    this.#address = address;
    const { hostname, port, pathname } = new URL(address.url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#path = pathname.replace(/\/$/, "");
    // Each upload in flight adds a listener.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborts with a reason when the connection closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Sends a read. Retries it once if the connection breaks before the response. */
  read(operation: string, text: string, lifetime?: Lifetime): Promise<unknown> {
    const again = (error: unknown): Promise<IncomingMessage> => {
      if (lifetime?.isOver) throw error;
      return this.#send(operation, text, { lifetime });
    };
    return this.#during(async () => resultOf(await this.#send(operation, text, { lifetime }).catch(again)));
  }

  /** Sends a write, without retries. */
  write(operation: string, text: string, lifetime?: Lifetime): Promise<unknown> {
    return this.#during(async () => resultOf(await this.#send(operation, text, { lifetime })));
  }

  download(operation: string, text: string): Promise<IncomingMessage> {
    return this.#during(async () => {
      const response = await this.#send(operation, text, { agent: this.#streams });
      if (response.statusCode !== 200) await resultOf(response);
      return response;
    });
  }

  upload<T>(operation: string, text: string, send: (request: ClientRequest) => Promise<T>): Promise<T> {
    const args = Buffer.from(text).toString("base64url");
    const headers = { [argumentsHeader]: args, authorization: this.#authorization() };
    return this.#during(() => send(this.#open(operation, headers, this.#streams)));
  }

  /** Rejects new calls and waits for those in flight. */
  async close(): Promise<void> {
    this.#closing.abort(closedError());
    await this.#underWay.close();
    this.#calls.destroy();
    this.#streams.destroy();
  }

  refuseIfClosed(): void {
    this.#underWay.refuseIfClosed();
  }

  async #during<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#underWay.during(ask);
    } catch (error) {
      throw error instanceof BrokenConnection ? unreachable(this.#address.url, error) : error;
    }
  }

  async #send(
    operation: string,
    text: string,
    { agent = this.#calls, lifetime }: SendOptions,
  ): Promise<IncomingMessage> {
    const outgoing = this.#open(operation, { "content-length": Buffer.byteLength(text) }, agent);
    const abandoned = new Promise<never>((_, reject) => {
      const abandon = (): void => {
        outgoing.destroy();
        reject(lifetime?.signal.reason as Error);
      };
      lifetime?.signal.addEventListener("abort", abandon, { once: true });
      // Creates the token only once a connection is available, because it could expire while the call waits.
      outgoing.once("socket", () => {
        lifetime?.signal.removeEventListener("abort", abandon);
        outgoing.setHeader("authorization", this.#authorization()).end(text);
      });
    });
    return Promise.race([answerTo(outgoing), abandoned]);
  }

  #authorization(): string {
    return `Bearer ${this.#address.token()}`;
  }

  #open(operation: string, headers: OutgoingHttpHeaders, agent: Agent): ClientRequest {
    return request({
      agent,
      host: this.#host,
      port: this.#port,
      path: `${this.#path}/${operation}`,
      method: "POST",
      headers: { ...headers, [instanceHeader]: this.#instance },
    });
  }
}

function unreachable(url: string, { message }: Error): PlatformError {
  const sentence = `the platform at ${url} is unreachable or closed the connection (${message}); the outcome of a write is unknown`;
  return new PlatformError("unreachable", sentence);
}
