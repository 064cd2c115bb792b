/** The part of a client for sockets; only present if the application has some. */
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
   * The most messages that may wait to be read, or to be sent; 1,000 by default. One more closes the connection with
   * 4000.
   */
  readonly buffer?: number | undefined;
  /** True, or how: a connection that was lost is opened again. By default the client opens one connection only. */
  readonly reconnect?: boolean | ApiReconnect | undefined;
}

/**
 * How a lost connection is opened again. Messages of both directions are lost in between, and nothing repeats them: ask for what is
 * missing in \`onReconnect\`.
 */
export interface ApiReconnect {
  /** Attempts in a row that may fail; 10 by default. A message, or a connection that lasts as long as \`mostWait\`, begins a new row. */
  readonly attempts?: number | undefined;
  /** Milliseconds before the first attempt; 500 by default. Each failed one doubles it, and chance takes off up to half. */
  readonly wait?: number | undefined;
  /** The longest wait; 30,000 by default. */
  readonly mostWait?: number | undefined;
  /**
   * Whether to open it again after it ended like this. By default after 1001, 1006, 1012, 1013 and 4503, and only where one was open
   * before: a refused handshake is a 1006, too, and a browser does not tell why.
   */
  readonly when?: ((end: ApiSocketEnd & { readonly wasOpen: boolean }) => boolean) | undefined;
  /** Called when a connection is open again, before any of its messages. */
  readonly onReconnect?: (() => void) | undefined;
}

/** The end of a connection. */
export interface ApiSocketEnd {
  /**
   * 1000 for a normal end, 1006 if the connection broke or was refused, 4000 plus a status if the application refused
   * it later: 4403.
   */
  readonly code: number;
  readonly reason: string;
}

/** A connection that the application closed with another code than 1000, or that broke. */
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
 * A connection for messages, which opens at once. Iterate over it to receive: the loop ends after code 1000, and
 * otherwise throws an ApiSocketError or the reason of the signal. Leaving the loop closes the connection.
 */
export interface ApiSocket<Sent, Received> extends globalThis.AsyncIterable<Received> {
  /**
   * Sends a message, in order. Resolves once few messages wait to be sent: with true, or with false if the connection
   * has ended. Rejects with an ApiSocketError, 1006, while a lost connection is not open again: the message was not
   * sent, or may not have arrived.
   */
  send(message: Sent): globalThis.Promise<boolean>;
  /** Closes the connection: with 1000, or a code from 3000 to 4999, and a reason of at most 123 bytes. */
  close(code?: number, reason?: string): void;
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: globalThis.Promise<ApiSocketEnd>;
}

/**
 * Backpressure: the number of unsent bytes above which \`send\` waits, and milliseconds between polls, since WebSockets
 * have no event for it.
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
