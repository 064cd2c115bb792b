import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { CallVerifier } from "../call-verifier.ts";
import { Malformed } from "../../lib/codec.ts";
import type { Platform } from "../contract.ts";
import { isPlatformError } from "../errors.ts";
import type { AccessRequest, Grant } from "../grants.ts";
import { instanceHeader } from "./protocol.ts";
import { checkGrants, serviceOf } from "./server/authorize.ts";
import { argumentsOf, streamOf } from "./server/body.ts";
import { ChangeStream } from "./server/changes.ts";
import { carryOut, Download } from "./server/operation.ts";
import { operations } from "./server/operations.ts";
import { Peers } from "./server/peers.ts";
import { sendFailure, sendResult } from "./server/respond.ts";

export interface LoopbackOptions {
  /** Verifies the tokens of services; their audience is `platformIdentity`. */
  readonly callers: CallVerifier;
  /** Opens a port on 127.0.0.1, without request timeouts: uploads and downloads may be slow. */
  readonly listen: (answer: Answer) => Promise<Listening>;
  /** Returns the grants of a service; everything is allowed if absent or undefined. */
  readonly grants?: (service: string) => readonly Grant[] | undefined;
  /**
   * Returns the platform for a caller: the one for the definitions it was built with, if the end of its URL names them.
   * By default all callers share one platform.
   */
  readonly platformOf?: (service: string, definitions: string | undefined) => Platform | undefined;
  /** Called for each refused call, and for each failed one with its error. */
  readonly log: (sentence: string, error?: unknown) => void;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Listening {
  readonly port: number;
  /** Closes all connections after their responses are sent. */
  readonly close: () => Promise<void>;
}

/** A platform that other processes of this machine can use. */
export interface Loopback {
  readonly url: string;
  /** Closes all connections after the responses to calls in progress; the platform stays open. */
  close(): Promise<void>;
}

/** Returns the platform's URL for callers that were built with the definitions of this name. */
export function urlBuiltWith(url: string, name: string): string {
  return `${url}/built/${name}`;
}

/** Serves a platform to processes of this machine that have a service's token. */
export async function serveLoopback(platform: Platform, options: LoopbackOptions): Promise<Loopback> {
  const answers = new Answers(platform, options);
  const { port, close } = await options.listen((request, response) => {
    response.sendDate = false;
    return answers.answer(request, response);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      answers.cutStreams();
      return close();
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
      if (result instanceof Download || result instanceof ChangeStream) this.#streaming.add(request.socket);
      await sendResult(response, result);
    } catch (error) {
      if (!request.socket.destroyed) this.#fail(response, error);
    } finally {
      this.#streaming.delete(request.socket);
    }
  }

  /** Cuts the connections that transfer an object's bytes or notify of changes. */
  cutStreams(): void {
    for (const socket of this.#streaming) socket.destroy();
  }

  async #result(request: IncomingMessage): Promise<unknown> {
    const service = serviceOf(request, this.#options.callers, Date.now());
    const peer = this.#peers.of(request.socket, service, String(request.headers[instanceHeader] ?? ""));
    const [, name, path = ""] = /^(?:\/built\/(\w+))?(\/.*)$/s.exec(request.url ?? "") ?? [];
    const operation = request.method === "POST" ? operations.get(path) : undefined;
    const { platformOf } = this.#options;
    const platform = platformOf === undefined ? this.#platform : platformOf(service, name);
    if (operation === undefined || platform === undefined) throw new Malformed("unknown operation");
    return carryOut(operation, await argumentsOf(request), {
      platform,
      peer,
      allow: (asked) => this.#allow(service, asked),
      body: () => {
        this.#streaming.add(request.socket);
        return streamOf(request);
      },
    });
  }

  #allow(service: string, requests: readonly AccessRequest[]): void {
    const grants = this.#options.grants?.(service);
    if (grants !== undefined) checkGrants(service, grants, requests);
  }

  #fail(response: ServerResponse, error: unknown): void {
    const expected = sendFailure(response, error);
    if (!expected) this.#log("a call to the platform failed", error);
    else if (isPlatformError(error, "denied")) this.#log(error.message);
  }
}
