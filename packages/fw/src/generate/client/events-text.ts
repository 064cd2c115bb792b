/** The part of a client that reads event streams; only present if an API has one. */
export const eventsText = `/** A server-sent event. */
export interface ApiEvent<Data> {
  /** The id of the latest event with an id; "" if there was none. */
  readonly id: string;
  /** The name of the event; "message" if it has none. */
  readonly event: string;
  readonly data: Data;
}

export interface ApiEventOptions extends ApiCallOptions {
  /**
   * Set to false to stop at the end of the response. By default the client reconnects and continues after the latest
   * id.
   */
  readonly reconnect?: boolean | undefined;
}

/**
 * Yields events as they arrive and reconnects when the connection breaks. Throws if the first call fails, or if the
 * application later refuses one.
 */
async function* listen<Data>(
  method: string,
  ask: (options: ApiCallOptions) => globalThis.Promise<globalThis.Response>,
  { reconnect = true, ...options }: ApiEventOptions = {},
): globalThis.AsyncGenerator<ApiEvent<Data>, void, undefined> {
  const last = { id: "", wait: 3_000 };
  let begun = false;
  const cut = (error: unknown) => {
    const refused = error instanceof ApiError && error.status < 500;
    if (!reconnect || !begun || refused || options.signal?.aborted === true) throw error;
    return undefined;
  };
  do {
    const since = last.id === "" ? {} : { "Last-Event-ID": last.id };
    const response = await ask({ ...options, headers: { ...options.headers, ...since } }).catch(cut);
    if (response !== undefined && response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true)
      throw new ApiError(response.status, "the server sent no events", undefined, {
        method,
        url: response.url,
        headers: response.headers,
      });
    begun = true;
    const reader = response?.body?.getReader();
    try {
      yield* eventsIn<Data>(async () => (await reader?.read().catch(cut))?.value, last);
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
    if (reconnect) await pause(last.wait, options.signal);
  } while (reconnect);
}

/** The events of one response; stores an id once its event is complete. */
async function* eventsIn<Data>(
  read: () => globalThis.Promise<globalThis.Uint8Array | undefined>,
  last: { id: string; wait: number },
): globalThis.AsyncGenerator<ApiEvent<Data>, void, undefined> {
  const decoder = new globalThis.TextDecoder();
  let [rest, id, event, data] = ["", last.id, "", ""];
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === "event") event = value;
      if (field === "id") id = value;
      if (field === "data") data = value;
      if (field === "retry") last.wait = Number(value);
      if (line !== "") continue;
      last.id = id;
      if (data !== "") yield { id, event: event || "message", data: JSON.parse(data) as Data };
      event = data = "";
    }
  }
}
`;
