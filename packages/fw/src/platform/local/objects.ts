import type { Clock } from "../contract.ts";
import type { Grant, ObjectFacts, ObjectPage, Objects, PutOptions, SignedRequest, StoredObject } from "../objects.ts";
import type { LocalMessages } from "./messages.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The tables of objects. */
export const objectTables = "";

/** What the objects of a directory are kept with. */
export interface ObjectParts {
  /** The data directory; the bytes are in `objects` below it. */
  readonly directory: string;
  readonly database: Database;
  readonly queue: WriteQueue;
  readonly clock: Clock;
  /** Told of every write, in its commit. */
  readonly messages: LocalMessages;
}

/** Objects on disk, and what is known of them in SQLite. */
export class LocalObjects implements Objects {
  constructor(_parts: ObjectParts, _buckets: readonly string[]) {}

  /** Takes other buckets. */
  redefine(_buckets: readonly string[]): void {}

  open(_bucket: string, _key: string): Promise<StoredObject | undefined> {
    throw new Error("not here yet");
  }
  find(_bucket: string, _key: string): Promise<ObjectFacts | undefined> {
    throw new Error("not here yet");
  }
  put(_bucket: string, _key: string, _body: ReadableStream<Uint8Array>, _options: PutOptions): Promise<ObjectFacts> {
    throw new Error("not here yet");
  }
  delete(_bucket: string, _key: string): Promise<void> {
    throw new Error("not here yet");
  }
  list(_bucket: string, _prefix: string, _options: { after?: string; limit: number }): Promise<ObjectPage> {
    throw new Error("not here yet");
  }
  sign(_grant: Grant): Promise<SignedRequest> {
    throw new Error("not here yet");
  }
}
