import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import type { Blob } from "../../declare/blob.ts";
import { asError } from "../../lib/thrown.ts";
import { isBlob } from "../blob/send-blob.ts";
import { chunksOfRange } from "../blob/send-stream.ts";
import type { RemoteRequest } from "../bundle.ts";
import type { CallBounds } from "./bounds.ts";

/** The body of a request to another service. */
export interface RemoteBody {
  /** The content type; "" if there is no body. */
  readonly type: string;
  /** The number of bytes; undefined if the body contains a stream of unknown size. */
  readonly length: number | undefined;
  /** True if the body reads from streams, which takes time and cannot be repeated. */
  readonly streams: boolean;
  /** Ends the request with the body. Streams are sent as fast as the receiver reads. */
  send(outlet: Outlet, bounds: Pick<CallBounds, "progress">): void;
}

export interface Outlet {
  readonly req: Writable;
  /** False once the connection is closed or the response has arrived, because nothing reads further bytes then. */
  isOpen(): boolean;
}

export function bodyOf({ json, raw, form }: RemoteRequest): RemoteBody {
  if (form !== undefined) return multipart(form);
  if (raw !== undefined) return fixedBody(raw.type, raw.bytes);
  return json === undefined ? fixedBody("", "") : fixedBody("application/json", json);
}

function fixedBody(type: string, content: string | Uint8Array): RemoteBody {
  return { type, length: Buffer.byteLength(content), streams: false, send: ({ req }) => void req.end(content) };
}

/** Creates a multipart body, which works for every form, with or without files. */
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

interface FormPart {
  readonly head: string;
  readonly content: string | Blob;
}

function partOf(boundary: string, name: string, content: string | Blob): FormPart {
  const disposition = `Content-Disposition: form-data; name="${quoteName(name)}"`;
  if (!isBlob(content)) return { head: `--${boundary}\r\n${disposition}\r\n\r\n`, content };
  const headers = `${disposition}; filename="${quoteName(content.name ?? "blob")}"`;
  const type = /^[\x21-\x7e][\x20-\x7e]*$/.test(content.type) ? `\r\nContent-Type: ${content.type}` : "";
  return { head: `--${boundary}\r\n${headers}${type}\r\n\r\n`, content };
}

function quoteName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

/** Returns the size of all parts in bytes; undefined if the size of a file is unknown. */
function total(parts: readonly FormPart[]): number | undefined {
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
  bounds: Pick<CallBounds, "progress">,
  parts: readonly FormPart[],
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

async function pumpFile(outlet: Outlet, bounds: Pick<CallBounds, "progress">, file: Blob): Promise<void> {
  const reader = file.stream().getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outlet.req.once("close", cancel);
  try {
    for await (const chunk of chunksOfRange(reader, { skip: 0, length: file.size, exact: true })) {
      await write(outlet, chunk);
      bounds.progress();
      if (!outlet.isOpen()) return;
    }
  } finally {
    outlet.req.off("close", cancel);
    cancel();
  }
}

/** Writes bytes. Resolves when more can be written or nothing can be written anymore. */
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
