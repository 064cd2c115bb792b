/**
 * The head of a request between the front and a service. No field contains a line break, so line breaks separate them.
 */
export interface RequestHead {
  /** Whether the client sends a body, waits for 100-continue before sending it, or requests a WebSocket. */
  readonly body: "none" | "sent" | "awaited" | "upgrade";
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
}

/** The head of a response between a service and the front. */
export interface ResponseHead {
  readonly status: number;
  /** True if the client's connection must be closed after the response. */
  readonly isLast: boolean;
  /** The encoding of a complete response's body; "" for bytes. */
  readonly encoding: "" | "latin1" | "utf8";
  /** Alternating names and values. */
  readonly rawHeaders: string[];
}

export function writeRequestHead({ body, method, target, version, rawHeaders }: RequestHead): string {
  return lines(`${body}\n${method}\n${target}\n${version}`, rawHeaders);
}

export function readRequestHead(text: string): RequestHead {
  const [body, method = "", target = "", version = "", ...rawHeaders] = text.split("\n");
  return { body: body as RequestHead["body"], method, target, version, rawHeaders };
}

export function writeResponseHead({ status, isLast, encoding, rawHeaders }: ResponseHead): string {
  return lines(`${status}\n${isLast ? "last" : ""}\n${encoding}`, rawHeaders);
}

export function readResponseHead(text: string): ResponseHead {
  const [status, last, encoding, ...rawHeaders] = text.split("\n");
  return {
    status: Number(status),
    isLast: last === "last",
    encoding: encoding as ResponseHead["encoding"],
    rawHeaders,
  };
}

function lines(first: string, rawHeaders: readonly string[]): string {
  let text = first;
  for (const part of rawHeaders) text += `\n${part}`;
  return text;
}
