/** What a client consists of besides, where the application has sockets. */
export const socketsText = `export interface ApiOptions {
  /**
   * Opens the connection of a socket, with the headers of every call and of this one: \`(url, headers) => new WebSocket(url, { headers })\` in
   * Node. By default the global WebSocket does, which in a browser sends no headers: a call that has some is refused.
   */
  readonly webSocket?: ((url: string, headers: { readonly [name: string]: string }) => ApiWebSocket) | undefined;
}

/** A WebSocket, as far as a client needs one: that of a browser, of Node, or of a package. */
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
  /** How many messages may wait to be read, or to be sent; 1,000 by default. With one more the connection ends with 4000. */
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

/** How a connection ended. */
export interface ApiSocketEnd {
  /** 1000 where all is well, 1006 where it was cut or refused, 4000 and a status where the application refused it later: 4403. */
  readonly code: number;
  readonly reason: string;
}

/** A connection that the application ended with another code than 1000, or that was cut. */
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
 * A connection of messages, which begins at once. The loop over what comes ends with 1000, or throws an ApiSocketError, or the reason of
 * the signal; leaving it closes the connection.
 */
export interface ApiSocket<Sent, Received> extends globalThis.AsyncIterable<Received> {
  /**
   * Sends a message, after those before. Resolves when few wait to go out, with false where the connection has ended. Rejects with an
   * ApiSocketError, 1006, while a lost connection is not open again: the message was not sent, or may not have arrived.
   */
  send(message: Sent): globalThis.Promise<boolean>;
  /** Ends the connection: with 1000, or a code from 3000 to 4999, and a reason of at most 123 bytes. */
  close(code?: number, reason?: string): void;
  /** Resolves when the connection has ended, however it did. */
  readonly closed: globalThis.Promise<ApiSocketEnd>;
}

/** Bytes that wait to go out, above which who sends is kept waiting, and milliseconds until it is looked at again: nothing tells of it. */
const [mostBytes, lookMs] = [65_536, 20];

function opener({ baseUrl = "", headers, webSocket }: ApiOptions) {
  const base = baseUrl.replace(/\\/$/, "");
  const { location, WebSocket } = globalThis as unknown as {
    readonly location?: { readonly href: string };
    readonly WebSocket?: new (url: string) => ApiWebSocket;
  };
  const own = (url: string, given: { readonly [name: string]: string }) => {
    const [name] = Object.keys(given);
    if (name !== undefined) throw new TypeError(\`a WebSocket sends no header \${name} by itself: give createClient a webSocket that does\`);
    if (WebSocket === undefined) throw new TypeError("there is no WebSocket here: give createClient a webSocket that opens one");
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
      const given: { [name: string]: string } = {};
      headersOf(every, options.headers).forEach((value, name) => (given[name] = value));
      return (webSocket ?? own)(url.href, given);
    };
    return connection(open, options);
  };
}
`;
