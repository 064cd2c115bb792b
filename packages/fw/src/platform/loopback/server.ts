import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { CallVerifier } from "../call-verifier.ts";
import type { Platform } from "../contract.ts";
import { isPlatformError } from "../errors.ts";
import type { Ask, Grant } from "../grants.ts";
import { instanceHeader } from "./protocol.ts";
import { Malformed } from "./server/args.ts";
import { checkGrants, serviceOf } from "./server/authorize.ts";
import { argumentsOf, streamOf } from "./server/body.ts";
import { Download } from "./server/operation.ts";
import { operations } from "./server/operations.ts";
import { Peers } from "./server/peers.ts";
import { sendFailure, sendResult } from "./server/respond.ts";

export interface LoopbackOptions {
  /** Knows the services by their tokens, whose audience is the `platformIdentity`. */
  readonly callers: CallVerifier;
  /** Of 127.0.0.1; a free one where none is given. */
  readonly port?: number;
  /** What a service may do; everything where it is not given. */
  readonly grants?: (service: string) => readonly Grant[];
  /** Told of each call that was refused, and of each that failed, with what it failed with. */
  readonly log: (sentence: string, error?: unknown) => void;
}

/** A platform that other processes of this machine can use. */
export interface Loopback {
  readonly url: string;
  /** Cuts all connections, once the calls that are being answered are; the platform stays open. */
  close(): Promise<void>;
}

/** Serves a platform to processes of this machine that have a token of a service. */
export async function serveLoopback(platform: Platform, options: LoopbackOptions): Promise<Loopback> {
  const answering = new Set<Promise<void>>();
  const answers = new Answers(platform, options);
  const server = createServer((request, response) => {
    response.sendDate = false;
    const answered = answers.answer(request, response);
    answering.add(answered);
    void answered.finally(() => answering.delete(answered));
  });
  // An upload may take as long as it likes, and a process is as long connected as it lives.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      answers.cutStreams();
      await Promise.all(answering);
      server.closeAllConnections();
      await closed;
    },
  };
}

class Answers {
  readonly #platform: Platform;
  readonly #options: LoopbackOptions;
  readonly #log: (sentence: string, error?: unknown) => void;
  readonly #peers: Peers;
  readonly #streaming = new Set<Socket>();

  constructor(platform: Platform, options: LoopbackOptions) {
    this.#platform = platform;
    this.#options = options;
    this.#log = options.log;
    this.#peers = new Peers(platform.clock);
  }

  /** Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const result = await this.#result(request);
      if (result instanceof Download) this.#streaming.add(request.socket);
      await sendResult(response, result);
    } catch (error) {
      if (!request.socket.destroyed) this.#fail(response, error);
    } finally {
      this.#streaming.delete(request.socket);
    }
  }

  /** Cuts the connections on which an object's bytes are coming or going. */
  cutStreams(): void {
    for (const socket of this.#streaming) socket.destroy();
  }

  async #result(request: IncomingMessage): Promise<unknown> {
    const service = serviceOf(request, this.#options.callers, Date.now());
    const peer = this.#peers.of(request.socket, service, String(request.headers[instanceHeader] ?? ""));
    const operation = request.method === "POST" ? operations.get(request.url ?? "") : undefined;
    if (operation === undefined) throw new Malformed("there is no such operation");
    return operation(await argumentsOf(request), {
      platform: this.#platform,
      peer,
      allow: (asked) => this.#allow(service, asked),
      body: () => {
        this.#streaming.add(request.socket);
        return streamOf(request);
      },
    });
  }

  #allow(service: string, asked: readonly Ask[]): void {
    const grants = this.#options.grants?.(service);
    if (grants !== undefined) checkGrants(service, grants, asked);
  }

  #fail(response: ServerResponse, error: unknown): void {
    const expected = sendFailure(response, error);
    if (!expected) this.#log("a call to the platform failed", error);
    else if (isPlatformError(error, "denied")) this.#log(error.message);
  }
}
