import { eventName } from "../../../lib/events.ts";
import type { ObjectListing, ObjectWrite } from "../../base-objects.ts";
import { newFileName } from "../../local/objects-files.ts";
import type { Destination } from "../../messages.ts";
import type { ObjectFacts, ObjectPage, StoredObject } from "../../objects.ts";
import { SignedObjects, type SigningParts } from "../../local/signed-objects.ts";
import type { StoredFile } from "../../stored-object.ts";
import { uploadEvent } from "../../upload-event.ts";
import type { Connections } from "../connections.ts";
import { Locks } from "../locks.ts";
import { insertMessages } from "../messages/insert.ts";
import type { ObjectBytes } from "./bytes.ts";
import { findObject, listObjects, putObject, retireObject } from "./rows.ts";

/** Milliseconds after the start of an upload at which its file counts as abandoned. */
const uploadMs = 24 * 3_600_000;

/** Milliseconds for which readers on any machine can still read a replaced object. */
const readMs = 3_600_000;

/** The number of files to list and delete per round. */
const removedAtOnce = 100;

/** The number of files to delete concurrently. */
const removedTogether = 10;

export interface ObjectParts extends SigningParts {
  readonly connections: Connections;
  readonly bytes: ObjectBytes;
  /** Called after a commit that sent messages. */
  readonly sent: (destinations: readonly Destination[]) => void;
}

/**
 * Objects: their bytes are in files or another store, everything else is in PostgreSQL. An object exists once its row
 * is committed.
 */
export class PostgresObjects extends SignedObjects<ObjectParts> {
  /** Returns the same objects, accessed through another role's connections. Excludes buckets that are allowed later. */
  through(connections: Connections): PostgresObjects {
    return new PostgresObjects({ ...this.parts, connections }, [...this.buckets]);
  }

  async open(bucket: string, key: string): Promise<StoredObject | undefined> {
    const stored = await this.#find(bucket, key);
    return stored && this.#opened(stored);
  }

  async find(bucket: string, key: string): Promise<ObjectFacts | undefined> {
    return (await this.#find(bucket, key))?.facts;
  }

  async delete(bucket: string, key: string): Promise<void> {
    this.check(bucket, key);
    const { connections, clock } = this.parts;
    await connections.during(() =>
      connections.write(this.#locks(bucket, key), (sql) => retireObject(sql, bucket, key, clock.now() + readMs)),
    );
  }

  /** Deletes due files of replaced or deleted objects and of unfinished uploads. Returns whether there may be more. */
  async removeFiles(): Promise<boolean> {
    const { connections, clock, bytes } = this.parts;
    const rows = await connections.runRepeatable(
      `SELECT file FROM @@object_files WHERE until < $1 ORDER BY until LIMIT ${removedAtOnce}`,
      [clock.now()],
    );
    const files = rows.map(({ file }) => String(file));
    for (let at = 0; at < files.length; at += removedTogether)
      await Promise.all(files.slice(at, at + removedTogether).map((file) => bytes.remove(file)));
    if (files.length > 0)
      await connections.runRepeatable("DELETE FROM @@object_files WHERE file = ANY ($1::text[])", [files]);
    return files.length === removedAtOnce;
  }

  protected async page({ bucket, prefix, after, limit }: ObjectListing): Promise<ObjectPage> {
    const { connections } = this.parts;
    return connections.during(() => listObjects(connections, bucket, prefix, after, limit));
  }

  protected async write({ bucket, key, body, contentType, maxSize, signal }: ObjectWrite): Promise<ObjectFacts> {
    const { connections, clock, bytes, sent } = this.parts;
    const file = newFileName();
    const destination: Destination = { kind: "event", name: eventName("bucket.uploaded", bucket) };
    const until = clock.now() + uploadMs;
    try {
      await connections.runRepeatable("INSERT INTO @@object_files VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
        file,
        until,
        bucket,
      ]);
    } catch (error) {
      body.cancel(error).catch(() => {});
      throw error;
    }
    const { size, etag } = await bytes.write(file, body, maxSize, signal);
    const facts: ObjectFacts = { key, size, contentType, updated: new Date(clock.now()), etag };
    await connections.during(() =>
      connections.write(this.#locks(bucket, key), async (sql) => {
        await putObject(sql, bucket, { file, facts }, { now: clock.now(), until: clock.now() + readMs });
        await insertMessages(sql, [{ id: file, destination, message: { body: uploadEvent(facts) } }], connections);
      }),
    );
    sent([destination]);
    return facts;
  }

  async #find(bucket: string, key: string): Promise<StoredFile | undefined> {
    this.check(bucket, key);
    const { connections } = this.parts;
    return connections.during(() => findObject(connections, bucket, key));
  }

  #locks(bucket: string, key: string): string {
    return new Locks(this.parts.connections.address.schema).exclusive("object", bucket, key).sql;
  }

  #opened(stored: StoredFile): StoredObject {
    const { bytes } = this.parts;
    const { facts } = stored;
    return { ...facts, stream: ({ start, end } = { start: 0, end: facts.size }) => bytes.read(stored, start, end) };
  }
}
