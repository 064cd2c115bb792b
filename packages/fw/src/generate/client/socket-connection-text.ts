/** The code of a client's socket connection, which may reopen a lost connection. */
export const socketConnectionText = `/** Ends after which the same request may be welcome: the service stops, the network was gone, it has no room. */
const passing: readonly number[] = [1001, 1006, 1012, 1013, 4503];

/** The settings for reopening a lost connection, with defaults. */
function reconnecting(given: ApiSocketOptions["reconnect"] = false) {
  const { attempts = 10, wait = 500, mostWait = 30_000, when, onReconnect } = given === true || given === false ? {} : given;
  const isPassing = ({ code, wasOpen }: ApiSocketEnd & { readonly wasOpen: boolean }) => wasOpen && passing.includes(code);
  let failures = 0;
  return {
    mostWait,
    onReconnect,
    begin: () => void (failures = 0),
    again: (end: ApiSocketEnd & { readonly wasOpen: boolean }) => given !== false && failures < attempts && (when ?? isPassing)(end),
    wait: () => Math.min(mostWait, wait * 2 ** failures++) * (1 - Math.random() / 2),
  };
}

function connection<Sent, Received>(
  open: () => globalThis.Promise<ApiWebSocket>,
  { signal, buffer = 1_000, reconnect }: ApiSocketOptions,
): ApiSocket<Sent, Received> {
  const policy = reconnecting(reconnect);
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const over = new globalThis.AbortController();
  let socket: ApiWebSocket | undefined;
  let openSince: number | undefined;
  let wasOpen = false;
  let ended: { readonly error: unknown } | undefined;
  let unsent = 0;
  let [settle, tell] = [() => {}, (_end: ApiSocketEnd) => {}];
  const opened = new globalThis.Promise<void>((resolve) => (settle = resolve));
  const closed = new globalThis.Promise<ApiSocketEnd>((resolve) => (tell = resolve));

  const wake = () => waiting.splice(0).forEach((each) => each());
  const end = ({ code, reason }: ApiSocketEnd, error: unknown) => {
    if (ended !== undefined) return;
    ended = { error };
    signal?.removeEventListener("abort", abort);
    over.abort();
    settle();
    tell({ code, reason });
    wake();
  };
  const leave = (code: number, reason: string, error?: unknown) => {
    socket?.close(code, reason);
    end({ code, reason }, error);
  };
  const fail = (reason: string) => leave(4000, reason, new ApiSocketError({ code: 4000, reason }));
  const abort = () => {
    received.length = 0;
    leave(1000, "", signal?.reason);
  };
  const take = ({ data }: { readonly data: string }) => {
    if (ended !== undefined) return;
    if (received.length >= buffer) return fail("too many unread messages");
    try {
      received.push(JSON.parse(data) as Received);
    } catch {
      return fail("a message is not valid JSON");
    }
    policy.begin();
    wake();
  };
  const attach = (made: ApiWebSocket) => {
    socket = made;
    made.onerror = () => {};
    made.onopen = () => {
      openSince = Date.now();
      if (wasOpen && ended === undefined) policy.onReconnect?.();
      wasOpen = true;
      settle();
    };
    made.onmessage = take;
    made.onclose = (how: ApiSocketEnd) => lose(how, how.code === 1000 ? undefined : new ApiSocketError(how));
    if (ended !== undefined) made.close();
  };
  const connect = () => void open().then(attach, (error: unknown) => lose({ code: 1006, reason: "" }, error));
  const lose = ({ code, reason }: ApiSocketEnd, error: unknown) => {
    if (openSince !== undefined && Date.now() - openSince >= policy.mostWait) policy.begin();
    [socket, openSince] = [undefined, undefined];
    if (ended !== undefined || code === 1000 || !policy.again({ code, reason, wasOpen })) return end({ code, reason }, error);
    pause(policy.wait(), over.signal).then(connect, () => undefined);
  };
  const unsure = (reason: string) => new ApiSocketError({ code: 1006, reason });

  if (signal?.aborted === true) abort();
  else {
    signal?.addEventListener("abort", abort);
    connect();
  }
  return {
    closed,
    close: (code = 1000, reason = "") => leave(code, reason),
    async send(message) {
      if (unsent >= buffer && ended === undefined) fail("too many unsent messages");
      unsent++;
      try {
        await opened;
        if (ended !== undefined) return false;
        const through = socket;
        if (through === undefined || openSince === undefined) throw unsure("the connection is not open again: the message was not sent");
        through.send(JSON.stringify(message));
        while (ended === undefined && socket === through && through.bufferedAmount > maxUnsentBytes)
          await new globalThis.Promise((resolve) => setTimeout(resolve, pollMs));
        if (ended === undefined && socket !== through) throw unsure("the connection was lost: the message may not have arrived");
        return ended === undefined;
      } finally {
        unsent--;
      }
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          if (received.length > 0) yield received.shift() as Received;
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
