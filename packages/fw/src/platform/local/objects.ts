import { join } from "node:path";
import { eventName } from "../../lib/events.ts";
import type { ObjectListing, ObjectWrite } from "../base-objects.ts";
import type { ObjectFacts, ObjectPage, StoredObject } from "../objects.ts";
import { SignedObjects, type SigningParts } from "./signed-objects.ts";
import type { StoredFile } from "../stored-object.ts";
import { uploadEvent } from "../upload-event.ts";
import type { LocalMessages } from "./messages.ts";
import { ObjectFiles } from "./objects-files.ts";
import { ObjectRows } from "./objects-rows.ts";
import { SetAside } from "./set-aside.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

export interface ObjectParts extends SigningParts {
  /** The data directory; object files are in its subdirectory `objects`. */
  readonly directory: string;
  readonly database: Database;
  readonly queue: WriteQueue;
  /** Receives an event for every write, in the same commit. */
  readonly messages: Pick<LocalMessages, "enqueue">;
}

/** Objects on disk, with bytes in files and metadata in SQLite. An object exists once its row is committed. */
export class LocalObjects extends SignedObjects<ObjectParts> {
  readonly #rows: ObjectRows;
  readonly #files: ObjectFiles;
  readonly #sweeping: Promise<void>;

  constructor(parts: ObjectParts, buckets: readonly string[]) {
    super(parts, buckets);
    this.#rows = new ObjectRows(parts.database);
    this.#files = new ObjectFiles(join(parts.directory, "objects"));
    const setAside = new SetAside(parts.directory);
    setAside.putBack((file) => this.#rows.holds(file));
    // Unused files only waste space, so opening does not wait for the sweep or depend on its success.
    this.#sweeping = this.#sweep(setAside).catch(() => {});
  }

  async #sweep(setAside: SetAside): Promise<void> {
    const now = this.parts.clock.now();
    const isObject = (file: string): boolean => this.#rows.holds(file);
    await this.#files.sweep(isObject, async (file) => {
      if (!this.closed) await setAside.add(file, now).catch(() => {});
    });
    await setAside.deleteOld(now);
  }

  get files(): ObjectFiles {
    return this.#files;
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#sweeping]);
  }

  async open(bucket: string, key: string): Promise<StoredObject | undefined> {
    this.check(bucket, key);
    const stored = this.#rows.find(bucket, key);
    return stored && this.#openStored(stored);
  }

  async find(bucket: string, key: string): Promise<ObjectFacts | undefined> {
    this.check(bucket, key);
    return this.#rows.find(bucket, key)?.facts;
  }

  async delete(bucket: string, key: string): Promise<void> {
    this.check(bucket, key);
    const file = await this.parts.queue.write(() => this.#rows.delete(bucket, key));
    if (file !== undefined) await this.#files.release(file);
  }

  protected async page({ bucket, prefix, after, limit }: ObjectListing): Promise<ObjectPage> {
    return this.#rows.list(bucket, prefix, after, limit);
  }

  protected async write({ bucket, key, body, contentType, maxSize, signal }: ObjectWrite): Promise<ObjectFacts> {
    const { queue, clock, messages } = this.parts;
    const { file, size, etag } = await this.#files.write(body, maxSize, signal);
    const committing = queue.write(() => {
      const facts: ObjectFacts = { key, size, contentType, updated: new Date(clock.now()), etag };
      const replaced = this.#rows.put(bucket, { file, facts });
      messages.enqueue({ kind: "event", name: eventName("bucket.uploaded", bucket) }, { body: uploadEvent(facts) });
      return { facts, replaced };
    });
    const { facts, replaced } = await committing.catch(async (error: unknown) => {
      await this.#files.discard(file);
      throw error;
    });
    this.#files.settle(file);
    if (replaced !== undefined) await this.#files.release(replaced);
    return facts;
  }

  #openStored({ file, facts }: StoredFile): StoredObject {
    const object: StoredObject = {
      ...facts,
      stream: ({ start, end } = { start: 0, end: facts.size }) => this.#files.read(file, start, end, object),
    };
    this.#files.pin(file, object);
    return object;
  }
}
