import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { Agent, request } from "node:http";
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { loopbackConnections } from "../../../lib/limits.ts";
import { closedError, PlatformError } from "../../errors.ts";
import { PendingCalls } from "../../pending-calls.ts";
import type { Lifetime } from "../../lifetime.ts";
import { argumentsHeader, instanceHeader } from "../protocol.ts";
import { answerTo, Broken, resultOf } from "./answer.ts";

/** Where a platform is served, and as whom it is called. */
export interface Address {
  readonly url: string;
  /** A token of the service that is valid now. */
  readonly token: () => string;
}

interface Sending {
  readonly agent?: Agent;
  /** Over before the call has a connection, it is not made. */
  readonly lifetime?: Lifetime | undefined;
}

/** The connections to a platform that is another process. */
export class Connection {
  readonly #address: Address;
  readonly #host: string;
  readonly #port: number;
  /** "" or the path of the URL, before those of operations. */
  readonly #path: string;
  readonly #instance = randomUUID();
  readonly #calls = new Agent({ keepAlive: true, maxSockets: loopbackConnections });
  /** A copy from one object to another needs two connections at a time, so these are not bounded. */
  readonly #streams = new Agent({ keepAlive: true });
  readonly #underWay = new PendingCalls();
  readonly #closing = new AbortController();

  constructor(address: Address) {
    this.#address = address;
    const { hostname, port, pathname } = new URL(address.url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#path = pathname.replace(/\/$/, "");
    // Each upload under way listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborts, with its reason, when the connection is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Asks for something that changes nothing; again where the connection broke before an answer came. */
  read(operation: string, text: string, lifetime?: Lifetime): Promise<unknown> {
    const again = (error: unknown): Promise<IncomingMessage> => {
      if (lifetime?.isOver) throw error;
      return this.#send(operation, text, { lifetime });
    };
    return this.#during(async () => resultOf(await this.#send(operation, text, { lifetime }).catch(again)));
  }

  /** Asks for a change, once. */
  write(operation: string, text: string, lifetime?: Lifetime): Promise<unknown> {
    return this.#during(async () => resultOf(await this.#send(operation, text, { lifetime })));
  }

  /** The bytes of an answer. */
  download(operation: string, text: string): Promise<IncomingMessage> {
    return this.#during(async () => {
      const response = await this.#send(operation, text, { agent: this.#streams });
      if (response.statusCode !== 200) await resultOf(response);
      return response;
    });
  }

  /** A request whose body is to be written. */
  upload<T>(operation: string, text: string, send: (request: ClientRequest) => Promise<T>): Promise<T> {
    const args = Buffer.from(text).toString("base64url");
    const headers = { [argumentsHeader]: args, authorization: this.#authorization() };
    return this.#during(() => send(this.#open(operation, headers, this.#streams)));
  }

  /** Waits for the calls under way. */
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
      throw error instanceof Broken ? unreachable(this.#address.url, error) : error;
    }
  }

  async #send(operation: string, text: string, { agent = this.#calls, lifetime }: Sending): Promise<IncomingMessage> {
    const sent = this.#open(operation, { "content-length": Buffer.byteLength(text) }, agent);
    const forgotten = new Promise<never>((_, reject) => {
      const forget = (): void => {
        sent.destroy();
        reject(lifetime?.signal.reason as Error);
      };
      lifetime?.signal.addEventListener("abort", forget, { once: true });
      // A token is made when a connection is free: it may be too old for a call that has waited for one.
      sent.once("socket", () => {
        lifetime?.signal.removeEventListener("abort", forget);
        sent.setHeader("authorization", this.#authorization()).end(text);
      });
    });
    return Promise.race([answerTo(sent), forgotten]);
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
  const sentence = `the platform at ${url} could not be reached, or broke off (${message}); whether a write was made is not known`;
  return new PlatformError("unreachable", sentence);
}
