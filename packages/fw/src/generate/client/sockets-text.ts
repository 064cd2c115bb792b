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
  /** Sends a message, after those before. Resolves when few wait to go out, with false where the connection has ended. */
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

function connection<Sent, Received>(
  open: () => globalThis.Promise<ApiWebSocket>,
  { signal, buffer = 1_000 }: ApiSocketOptions,
): ApiSocket<Sent, Received> {
  const came: Received[] = [];
  const waiting: (() => void)[] = [];
  let socket: ApiWebSocket | undefined;
  let ended: { readonly error: unknown } | undefined;
  let unsent = 0;
  let [settle, tell] = [(_stands: boolean) => {}, (_end: ApiSocketEnd) => {}];
  const opened = new globalThis.Promise<boolean>((resolve) => (settle = resolve));
  const closed = new globalThis.Promise<ApiSocketEnd>((resolve) => (tell = resolve));

  const wake = () => waiting.splice(0).forEach((each) => each());
  const end = ({ code, reason }: ApiSocketEnd, error: unknown) => {
    if (ended !== undefined) return;
    ended = { error };
    signal?.removeEventListener("abort", abort);
    settle(false);
    tell({ code, reason });
    wake();
  };
  const leave = (code: number, reason: string, error?: unknown) => {
    socket?.close(code, reason);
    end({ code, reason }, error);
  };
  const fail = (reason: string) => leave(4000, reason, new ApiSocketError({ code: 4000, reason }));
  const abort = () => {
    came.length = 0;
    leave(1000, "", signal?.reason);
  };
  const take = ({ data }: { readonly data: string }) => {
    if (ended !== undefined) return;
    if (came.length >= buffer) return fail("more messages came than were read");
    try {
      came.push(JSON.parse(data) as Received);
    } catch {
      return fail("a message was no JSON text");
    }
    wake();
  };
  const attach = (made: ApiWebSocket) => {
    socket = made;
    made.onerror = () => {};
    made.onopen = () => settle(true);
    made.onmessage = take;
    made.onclose = (how: ApiSocketEnd) => end(how, how.code === 1000 ? undefined : new ApiSocketError(how));
    if (ended !== undefined) made.close();
  };

  if (signal?.aborted === true) abort();
  else {
    signal?.addEventListener("abort", abort);
    open().then(attach, (error: unknown) => end({ code: 1006, reason: "" }, error));
  }
  return {
    closed,
    close: (code = 1000, reason = "") => leave(code, reason),
    async send(message) {
      if (unsent >= buffer && ended === undefined) fail("more messages were sent than went out");
      unsent++;
      if ((await opened) && ended === undefined) socket?.send(JSON.stringify(message));
      while (ended === undefined && (socket?.bufferedAmount ?? 0) > mostBytes)
        await new globalThis.Promise((resolve) => setTimeout(resolve, lookMs));
      unsent--;
      return ended === undefined;
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          if (came.length > 0) yield came.shift() as Received;
          else if (ended === undefined) await new globalThis.Promise<void>((resolve) => waiting.push(resolve));
          else if (ended.error === undefined) return;
          else throw ended.error;
        }
      } finally {
        leave(1000, "");
      }
    },
  };
}
`;
