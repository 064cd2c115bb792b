import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import type { Blob } from "../../declare/blob.ts";
import { asError } from "../../lib/thrown.ts";
import { isBlob } from "../blob/send-blob.ts";
import { cut } from "../blob/send-stream.ts";
import type { RemoteRequest } from "../bundle.ts";
import type { CallBounds } from "./bounds.ts";

/** The body of a request to another service. */
export interface RemoteBody {
  /** "" where it has none. */
  readonly type: string;
  /** Bytes; undefined where a stream does not say. */
  readonly length: number | undefined;
  /** True where it is read from streams, which takes its time and can be done once. */
  readonly streams: boolean;
  /** Ends the request with it; a stream goes at the pace of the other side. */
  send(outlet: Outlet, bounds: Pick<CallBounds, "moved">): void;
}

/** Where a body goes. */
export interface Outlet {
  readonly req: Writable;
  /** False once the connection has gone or the answer is there: nobody reads what follows. */
  isOpen(): boolean;
}

/** The body that a request goes with. */
export function bodyOf({ json, raw, form }: RemoteRequest): RemoteBody {
  if (form !== undefined) return multipart(form);
  if (raw !== undefined) return whole(raw.type, raw.bytes);
  return json === undefined ? whole("", "") : whole("application/json", json);
}

function whole(type: string, content: string | Uint8Array): RemoteBody {
  return { type, length: Buffer.byteLength(content), streams: false, send: ({ req }) => void req.end(content) };
}

/** Multipart is right for every form, whether it holds files or might. */
function multipart(form: NonNullable<RemoteRequest["form"]>): RemoteBody {
  const boundary = `fw-${randomBytes(18).toString("base64url")}`;
  const parts = form.map(([name, content]) => partOf(boundary, name, content));
  const end = `--${boundary}--\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: total([...parts, { head: end, content: "" }]),
    streams: parts.some(({ content }) => isBlob(content)),
    send: (outlet, bounds) =>
      void pump(outlet, bounds, parts, end).catch((error: unknown) => outlet.req.destroy(asError(error))),
  };
}

interface Part {
  readonly head: string;
  readonly content: string | Blob;
}

function partOf(boundary: string, name: string, content: string | Blob): Part {
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (!isBlob(content)) return { head: `--${boundary}\r\n${disposition}\r\n\r\n`, content };
  const named = `${disposition}; filename="${quoted(content.name ?? "blob")}"`;
  const type = /^[\x21-\x7e][\x20-\x7e]*$/.test(content.type) ? `\r\nContent-Type: ${content.type}` : "";
  return { head: `--${boundary}\r\n${named}${type}\r\n\r\n`, content };
}

/** As browsers write names. */
function quoted(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

/** Undefined where a file does not know its size. */
function total(parts: readonly Part[]): number | undefined {
  let bytes = -2;
  for (const { head, content } of parts) {
    const size = isBlob(content) ? content.size : Buffer.byteLength(content);
    if (size === undefined) return undefined;
    bytes += Buffer.byteLength(head) + size + 2;
  }
  return bytes;
}

async function pump(
  outlet: Outlet,
  bounds: Pick<CallBounds, "moved">,
  parts: readonly Part[],
  end: string,
): Promise<void> {
  for (const { head, content } of parts) {
    await write(outlet, head);
    if (isBlob(content)) await pumpFile(outlet, bounds, content);
    else await write(outlet, content);
    await write(outlet, "\r\n");
  }
  if (outlet.isOpen()) outlet.req.end(end);
}

async function pumpFile(outlet: Outlet, bounds: Pick<CallBounds, "moved">, file: Blob): Promise<void> {
  const reader = file.stream().getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outlet.req.once("close", cancel);
  try {
    for await (const chunk of cut(reader, { skip: 0, length: file.size, exact: true })) {
      await write(outlet, chunk);
      bounds.moved();
      if (!outlet.isOpen()) return;
    }
  } finally {
    outlet.req.off("close", cancel);
    cancel();
  }
}

/** Resolves when more can be written, or nothing any more. */
async function write(outlet: Outlet, bytes: string | Uint8Array): Promise<void> {
  const { req } = outlet;
  if (!outlet.isOpen() || req.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close", "response"]) req.off(event, done);
      resolve();
    };
    for (const event of ["drain", "close", "response"]) req.on(event, done);
  });
}
