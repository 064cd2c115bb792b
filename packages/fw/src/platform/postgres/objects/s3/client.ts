import { setTimeout } from "node:timers/promises";
import { visible } from "../../../../lib/visible.ts";
import type { S3Address } from "./address.ts";
import { errorOfAnswer, S3Error, strangeAnswer } from "./error.ts";
import type { Signer } from "./signer.ts";

/** Limit: milliseconds for one response of an object store, including its body. */
const attemptMs = 60_000;

/** Limit: milliseconds of silence before a download from an object store is resumed. */
const silenceMs = 30_000;

/** Limit: milliseconds during which a request to an object store is retried. */
const retryMs = 20_000;

/** Maximum pause between two attempts in milliseconds. */
const longestPauseMs = 3_000;

/** The maximum size of a text response in bytes; a list of a thousand uploads is smaller. */
const answerBytes = 2 * 1024 * 1024;

/** The SHA-256 of an empty body. */
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A request. S3 distinguishes operations by method and query. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The name of the file; absent for requests about the bucket. */
  readonly file?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Aborts the request with its reason. */
  readonly signal?: AbortSignal;
}

/** A response with its body as text. */
interface S3Answer {
  readonly headers: Headers;
  readonly text: string;
}

/** A response with its body as a stream. `cancel` closes the connection. */
export interface S3Stream {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array>;
  readonly cancel: () => void;
}

export interface S3ClientOptions {
  /** Milliseconds during which a request is retried; defaults to 20 seconds. */
  readonly retryMs?: number;
  /** Milliseconds for the response to one attempt; defaults to one minute. */
  readonly attemptMs?: number;
  /** Milliseconds of silence after which a body counts as broken; defaults to 30 seconds. */
  readonly silenceMs?: number;
  /** The pause before the second attempt in milliseconds; defaults to 100 and doubles with each further attempt. */
  readonly pauseMs?: number;
}

/**
 * Sends signed requests to an object store. Every request is idempotent, because each name is written only once, so the
 * client retries requests with a lost or malformed response for some seconds. Throws an S3Error or the signal's reason.
 */
export class S3Client {
  readonly #address: S3Address;
  readonly #signer: Signer;
  readonly #retryMs: number;
  readonly #attemptMs: number;
  readonly #pauseMs: number;
  readonly silenceMs: number;
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(address: S3Address, signer: Signer, options: S3ClientOptions = {}) {
    this.#address = address;
    this.#signer = signer;
    this.#retryMs = options.retryMs ?? retryMs;
    this.#attemptMs = options.attemptMs ?? attemptMs;
    this.silenceMs = options.silenceMs ?? silenceMs;
    this.#pauseMs = options.pauseMs ?? 100;
  }

  get displayName(): string {
    return this.#address.displayName;
  }

  keyOf(file: string): string {
    return this.#address.prefix + file;
  }

  /** Sends a request. If `check` returns a problem with the response, the request is retried. */
  async call(request: S3Request, check: (answer: S3Answer) => string | undefined = () => undefined): Promise<S3Answer> {
    return this.#repeat(request, async () => {
      const { response, cancel, timer } = await this.#send(request);
      try {
        const answer = { headers: response.headers, text: await boundedText(response, request) };
        const wrong = check(answer);
        if (wrong !== undefined) throw strangeAnswer(nameOf(request), wrong);
        return answer;
      } catch (error) {
        cancel();
        throw this.#failure(error, request);
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** Returns a response whose body the caller must read or cancel. `check` is as in `call`, but without the text. */
  async open(request: S3Request, check: (headers: Headers) => string | undefined): Promise<S3Stream> {
    return this.#repeat(request, async () => {
      const { response, cancel, timer } = await this.#send(request);
      clearTimeout(timer);
      const wrong = response.body === null ? "no body" : check(response.headers);
      if (response.body !== null && wrong === undefined)
        return { headers: response.headers, body: response.body as ReadableStream<Uint8Array>, cancel };
      cancel();
      throw strangeAnswer(nameOf(request), wrong ?? "no body");
    });
  }

  async #repeat<T>(request: S3Request, once: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#retryMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await once();
      } catch (error) {
        const isTransient = error instanceof S3Error && error.isTransient;
        const pause = Math.min(longestPauseMs, this.#pauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
        if (!isTransient || performance.now() + pause > until) throw error;
        await setTimeout(pause, undefined, request.signal && { signal: request.signal }).catch(() => {});
        request.signal?.throwIfAborted();
      }
    }
  }

  /**
   * Sends a request once. `timer` aborts the attempt, including the response's body. The caller clears it after reading
   * the body, or immediately when streaming.
   */
  async #send(request: S3Request): Promise<{
    readonly response: Response;
    readonly cancel: () => void;
    readonly timer: NodeJS.Timeout;
  }> {
    const { method, body, signal } = request;
    signal?.throwIfAborted();
    const ending = new AbortController();
    const cancel = (): void => ending.abort();
    const timer = globalThis.setTimeout(cancel, this.#attemptMs);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const { url, headers } = await this.#sign(request);
      const response = await fetch(url, {
        method,
        headers,
        redirect: "manual",
        signal: ending.signal,
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      });
      if (response.status >= 200 && response.status < 300) return { response, cancel, timer };
      const text = await boundedText(response, request);
      throw errorOfAnswer(nameOf(request), response.status, text);
    } catch (error) {
      clearTimeout(timer);
      cancel();
      throw this.#failure(error, request);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  async #sign({ method, file, query = {}, headers = {}, body }: S3Request): Promise<{
    readonly url: URL;
    readonly headers: Headers;
  }> {
    const { url, prefix, region, credentials } = this.#address;
    const target = new URL(file === undefined ? url : `${url}${prefix}${file}`);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const hash = body === undefined || body.byteLength === 0 ? emptyHash : await sha256(body);
    const signer = new this.#signer.AwsV4Signer({
      ...credentials,
      method,
      url: target.href,
      headers: { ...headers, "x-amz-content-sha256": hash },
      service: "s3",
      region,
      cache: this.#keys,
    });
    return signer.sign();
  }

  #failure(error: unknown, request: S3Request): unknown {
    request.signal?.throwIfAborted();
    if (error instanceof S3Error) return error;
    const { cause = error } = error as { readonly cause?: unknown };
    const { code, message } = cause as { readonly code?: string; readonly message?: string };
    return new S3Error(nameOf(request), 0, code ?? "NoAnswer", visible(message ?? ""));
  }
}

/** Returns the SHA-256 in hexadecimal, computed off the event loop. */
async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}

function nameOf({ method, query = {} }: S3Request): string {
  const [operation] = Object.keys(query);
  return operation === undefined ? method : `${method} ${operation}`;
}

async function boundedText({ body }: Response, request: S3Request): Promise<string> {
  if (body === null) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body as ReadableStream<Uint8Array>) {
    size += piece.byteLength;
    if (size > answerBytes) throw strangeAnswer(nameOf(request), `more than ${answerBytes} bytes of text`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size).toString();
}
