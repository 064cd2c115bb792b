/** The part of a client for sockets; only present if the application has any. */
export const socketsText = `export interface ApiOptions {
  /**
   * Opens a WebSocket with headers: \`(url, headers) => new WebSocket(url, { headers })\` in Node. By default the
   * client uses the global WebSocket, which cannot send headers in a browser; a call with headers then throws.
   */
  readonly webSocket?: ((url: string, headers: { readonly [name: string]: string }) => ApiWebSocket) | undefined;
}

/** The part of a WebSocket that the client uses; browsers, Node and packages provide one. */
export interface ApiWebSocket {
  readonly bufferedAmount: number;
  onopen: unknown;
  onmessage: unknown;
  onclose: unknown;
  onerror: unknown;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export interface ApiSocketOptions extends ApiCallOptions {
  /**
   * The maximum number of messages waiting to be read, or to be sent; 1,000 by default. One more closes the connection
   * with 4000.
   */
  readonly buffer?: number | undefined;
  /** Reopens a lost connection; true uses the default settings. By default, a lost connection stays closed. */
  readonly reconnect?: boolean | ApiReconnect | undefined;
}

/**
 * The settings for reopening a lost connection. Messages in both directions are lost in between and are not repeated:
 * request what is missing in \`onReconnect\`.
 */
export interface ApiReconnect {
  /**
   * The maximum number of consecutive failed attempts; 10 by default. A message, or a connection that lasts as long as
   * \`mostWait\`, resets the count.
   */
  readonly attempts?: number | undefined;
  /**
   * Milliseconds before the first attempt; 500 by default. It doubles with each failed attempt; a random part of up to
   * half is subtracted.
   */
  readonly wait?: number | undefined;
  /** The maximum wait in milliseconds; 30,000 by default. */
  readonly mostWait?: number | undefined;
  /**
   * Returns whether to reopen the connection after this end. By default it is reopened after 1001, 1006, 1012, 1013 and
   * 4503, and only if it was open before: a refused handshake is also a 1006, and browsers do not reveal the reason.
   */
  readonly when?: ((end: ApiSocketEnd & { readonly wasOpen: boolean }) => boolean) | undefined;
  /** Called when a connection is open again, before its first message. */
  readonly onReconnect?: (() => void) | undefined;
}

export interface ApiSocketEnd {
  /**
   * 1000 for a normal end, 1006 if the connection broke or was refused, 4000 plus the status if the application refused
   * it later, such as 4403.
   */
  readonly code: number;
  readonly reason: string;
}

/** A connection that broke, or that the application closed with a code other than 1000. */
export class ApiSocketError extends Error implements ApiSocketEnd {
  readonly code: number;
  readonly reason: string;

  constructor({ code, reason }: ApiSocketEnd) {
    super(reason === "" ? \`the connection ended with \${code}\` : reason);
    this.name = "ApiSocketError";
    this.code = code;
    this.reason = reason;
  }
}

/**
 * A connection for messages, which opens immediately. Iterate over it to receive messages: the loop ends after code
 * 1000, and otherwise throws an ApiSocketError or the signal's reason. Leaving the loop closes the connection.
 */
export interface ApiSocket<Sent, Received> extends globalThis.AsyncIterable<Received> {
  /**
   * Sends a message; messages stay in order. Resolves once few messages wait to be sent: with true, or with false if
   * the connection has ended. Rejects with an ApiSocketError, 1006, while a lost connection is not open again: the
   * message was not sent, or may not have arrived.
   */
  send(message: Sent): globalThis.Promise<boolean>;
  /** Closes the connection with 1000 or a code from 3000 to 4999, and a reason of at most 123 bytes. */
  close(code?: number, reason?: string): void;
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: globalThis.Promise<ApiSocketEnd>;
}

/**
 * Backpressure: the number of unsent bytes above which \`send\` waits, and milliseconds between polls, because
 * WebSockets have no event for it.
 */
const [maxUnsentBytes, pollMs] = [65_536, 20];

function opener({ baseUrl = "", headers, webSocket }: ApiOptions) {
  const base = baseUrl.replace(/\\/$/, "");
  const { location, WebSocket } = globalThis as unknown as {
    readonly location?: { readonly href: string };
    readonly WebSocket?: new (url: string) => ApiWebSocket;
  };
  const openGlobal = (url: string, wanted: { readonly [name: string]: string }) => {
    const [name] = Object.keys(wanted);
    if (name !== undefined) throw new TypeError(\`the global WebSocket cannot send the header \${name}: pass a webSocket option to createClient\`);
    if (WebSocket === undefined) throw new TypeError("this runtime has no WebSocket: pass a webSocket option to createClient");
    return new WebSocket(url);
  };
  return <Sent, Received>(
    path: readonly ApiScalar[],
    { query }: Pick<ApiCall, "query">,
    options: ApiSocketOptions = {},
  ): ApiSocket<Sent, Received> => {
    const url = new URL(base + (path.map(segment).join("") || "/") + search(query), location?.href);
    url.protocol = url.protocol.replace("http", "ws");
    const open = async () => {
      const every = typeof headers === "function" ? await headers() : headers;
      const sentHeaders: { [name: string]: string } = {};
      headersOf(every, options.headers).forEach((value, name) => (sentHeaders[name] = value));
      return (webSocket ?? openGlobal)(url.href, sentHeaders);
    };
    return connection(open, options);
  };
}
`;
