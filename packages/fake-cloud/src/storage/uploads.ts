import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Reply } from "../api.ts";
import { refused } from "../errors.ts";
import { bytesOf } from "../server.ts";
import type { ObjectMetadata, StoredObject, Write } from "./buckets.ts";

/** A resumable upload: the content so far and, at the end, the finished object. */
interface Session extends Write {
  content: Buffer;
  finished?: StoredObject;
}

/** Writes an object if the preconditions hold. */
export type Put = (write: Write) => StoredObject;

/** The parts of an upload are multiples of this size, except for the last. */
const partSize = 256 * 1024;

/** Resumable uploads. */
export class ResumableUploads {
  readonly #sessions = new Map<string, Session>();
  readonly #put: Put;

  constructor(put: Put) {
    this.#put = put;
  }

  /** Starts an upload and returns its id. */
  begin(session: Omit<Write, "content">): string {
    const id = randomBytes(24).toString("base64url");
    this.#sessions.set(id, { ...session, content: Buffer.alloc(0) });
    return id;
  }

  /**
   * Handles a part of an upload, a status query or a cancellation. Returns the finished object, or the response while
   * the upload is unfinished.
   */
  async continue(id: string, request: IncomingMessage): Promise<StoredObject | Reply> {
    const session = this.#sessions.get(id);
    if (!session) throw refused(404, "Upload session not found.", "notFound");
    if (request.method === "DELETE") {
      request.resume();
      this.#sessions.delete(id);
      return new Reply(499, { "content-length": "0" });
    }
    const bytes = await bytesOf(request);
    if (session.finished) return session.finished;
    const range = rangeOf(request.headers["content-range"], bytes.length);
    if (range.first !== undefined) this.#add(session, range.first, bytes, range.total === undefined);
    if (range.total === undefined || session.content.length < range.total) {
      const { length } = session.content;
      return new Reply(308, {
        "content-length": "0",
        ...(length > 0 && { range: `bytes=0-${length - 1}` }),
        "x-guploader-uploadid": id,
      });
    }
    if (session.content.length > range.total)
      throw refused(
        400,
        `Invalid request. There were ${session.content.length} byte(s) in the request body.`,
        "badRequest",
      );
    session.finished = this.#put(session);
    return session.finished;
  }

  #add(session: Session, first: number, bytes: Buffer, more: boolean): void {
    if (more && bytes.length % partSize !== 0) {
      throw refused(
        400,
        `Invalid request. The number of bytes uploaded is required to be equal or greater than ${partSize}, except for the final request (it's recommended to be the exact multiple of ${partSize}). The received request contained ${bytes.length} bytes, which does not meet this requirement.`,
        "badRequest",
      );
    }
    const { length } = session.content;
    if (first > length)
      throw refused(503, "Invalid request. The range does not follow what is persisted.", "backendError");
    session.content = Buffer.concat([session.content, bytes.subarray(Math.max(0, length - first))]);
  }
}

/** Parses `bytes 0-1/2`, `bytes 0-1/*`, `bytes * /2`: the start of a part, and the total size if known. */
function rangeOf(header: string | undefined, length: number): { first?: number; total?: number } {
  if (header === undefined) return { first: 0, total: length };
  const [, first, last, none, total] = /^bytes (?:(\d+)-(\d+)|(\*))\/(\d+|\*)$/.exec(header) ?? [];
  const isWhole = none !== undefined ? length === 0 : Number(last) - Number(first) + 1 === length;
  if (total === undefined || !isWhole) throw refused(400, `Failed to parse Content-Range header.`, "badRequest");
  return { ...(none === undefined && { first: Number(first) }), ...(total !== "*" && { total: Number(total) }) };
}

/** Returns the two parts of a `multipart/related` upload: the resource and the content. */
export function multipartParts(
  contentType: string,
  body: Buffer,
): { resource: ObjectMetadata; type: string; content: Buffer } {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (!boundary) throw refused(400, "Malformed multipart body.", "badRequest");
  const mark = Buffer.from(`--${boundary}`);
  const parts: { head: string; content: Buffer }[] = [];
  for (let at = body.indexOf(mark); at !== -1;) {
    const begin = at + mark.length + 2;
    const end = body.indexOf(Buffer.concat([Buffer.from("\r\n"), mark]), begin);
    const split = body.indexOf("\r\n\r\n", begin);
    if (end === -1 || split === -1) break;
    parts.push({ head: body.subarray(begin, split).toString(), content: body.subarray(split + 4, end) });
    at = end + 2;
  }
  const [resource, media] = parts;
  if (!resource || !media) throw refused(400, "Malformed multipart body.", "badRequest");
  const type = /^content-type:\s*(.+)$/im.exec(media.head)?.[1]?.trim() ?? "";
  return { resource: JSON.parse(resource.content.toString()) as ObjectMetadata, type, content: media.content };
}
