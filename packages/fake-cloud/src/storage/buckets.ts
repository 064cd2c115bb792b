import { createHash } from "node:crypto";
import type { CloudClock } from "../clock.ts";
import { refused, type Refusal } from "../errors.ts";
import type { Resources } from "../resources.ts";
import { crc32c } from "./crc32c.ts";

/** A bucket: its settings, and its objects with all generations, newest last. */
export interface Bucket {
  readonly name: string;
  readonly created: number;
  settings: BucketSettings;
  metageneration: number;
  readonly objects: Map<string, StoredObject[]>;
  readonly notifications: Map<string, Notification>;
}

/** The bucket settings that the fake uses. */
export interface BucketSettings {
  readonly versioning?: { readonly enabled?: boolean };
  readonly cors?: readonly CorsRule[];
}

export interface CorsRule {
  readonly origin?: readonly string[];
  readonly method?: readonly string[];
  readonly responseHeader?: readonly string[];
  readonly maxAgeSeconds?: number;
}

export interface Notification {
  readonly id: string;
  readonly topic: string;
  readonly payload_format: string;
  readonly event_types?: readonly string[];
  readonly custom_attributes?: Readonly<Record<string, string>>;
  readonly object_name_prefix?: string;
}

/** One generation of an object. */
export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly generation: bigint;
  readonly content: Buffer;
  readonly md5: Buffer;
  readonly crc32c: string;
  readonly created: number;
  readonly metageneration: number;
  readonly metadata: ObjectMetadata;
  /** The time at which it was replaced or deleted. */
  deleted?: number;
}

/** The metadata of an upload. */
export interface ObjectMetadata {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentDisposition?: string;
  readonly contentLanguage?: string;
  readonly cacheControl?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An object to write. */
export interface Write {
  readonly bucket: string;
  readonly name: string;
  readonly content: Buffer;
  readonly metadata: ObjectMetadata;
  readonly conditions: Preconditions;
}

/** Conditions on the live object. */
export interface Preconditions {
  readonly ifGenerationMatch?: string;
  readonly ifGenerationNotMatch?: string;
  readonly ifMetagenerationMatch?: string;
  readonly ifMetagenerationNotMatch?: string;
}

/** The objects of all buckets. */
export class Objects {
  readonly #clock: CloudClock;
  readonly #buckets: Resources<Bucket>;
  #generation = 0n;

  constructor(clock: CloudClock, buckets: Resources<Bucket>) {
    this.#clock = clock;
    this.#buckets = buckets;
  }

  /** Returns the live object or the given generation; undefined if there is none. */
  find(bucket: string, name: string, generation?: string): StoredObject | undefined {
    const generations = this.#buckets.byName(bucket).objects.get(name) ?? [];
    return generations.find((one) => (generation === undefined ? !one.deleted : String(one.generation) === generation));
  }

  get(bucket: string, name: string, generation?: string): StoredObject {
    const found = this.find(bucket, name, generation);
    if (!found) throw refused(404, `No such object: ${bucket}/${name}`, "notFound");
    return found;
  }

  /** Writes a generation atomically, if the preconditions hold. */
  put({ bucket, name, content, metadata, conditions }: Write): StoredObject {
    if (name === "" || Buffer.byteLength(name) > 1024 || /[\r\n]/.test(name) || name === "." || name === "..") {
      throw refused(400, `Invalid object name: '${name}'`, "invalid");
    }
    const before = this.find(bucket, name);
    check(before, conditions);
    this.#retire(bucket, name);
    const now = this.#clock.now();
    const microseconds = BigInt(now) * 1000n;
    this.#generation = microseconds > this.#generation ? microseconds : this.#generation + 1n;
    const object = {
      bucket,
      name,
      generation: this.#generation,
      content,
      md5: createHash("md5").update(content).digest(),
      crc32c: crc32c(content),
      created: now,
      metageneration: 1,
      metadata,
    };
    const { objects } = this.#buckets.byName(bucket);
    objects.set(name, [...(objects.get(name) ?? []), object]);
    return object;
  }

  delete(bucket: string, name: string, conditions: Preconditions, generation?: string): void {
    check(this.get(bucket, name, generation), conditions);
    if (generation === undefined) this.#retire(bucket, name);
    else this.#drop(this.get(bucket, name, generation));
  }

  /** Retires the live object: a versioned bucket keeps it, others do not. */
  #retire(bucket: string, name: string): void {
    const live = this.find(bucket, name);
    if (!live) return;
    if (this.#buckets.byName(bucket).settings.versioning?.enabled) live.deleted = this.#clock.now();
    else this.#drop(live);
  }

  #drop(gone: StoredObject): void {
    const { objects } = this.#buckets.byName(gone.bucket);
    const left = (objects.get(gone.name) ?? []).filter((one) => one !== gone);
    objects.set(gone.name, left);
  }
}

/** Enforces the preconditions; a read of an unchanged object is a 304. */
export function check(live: StoredObject | undefined, conditions: Preconditions, read = false): void {
  const generation = live ? String(live.generation) : "0";
  const metageneration = live ? String(live.metageneration) : "0";
  const { ifGenerationMatch, ifGenerationNotMatch, ifMetagenerationMatch, ifMetagenerationNotMatch } = conditions;
  if (unmatched(ifGenerationMatch, generation) || unmatched(ifMetagenerationMatch, metageneration)) {
    throw unmet();
  }
  if (ifGenerationNotMatch === generation || ifMetagenerationNotMatch === metageneration) {
    throw read ? refused(304, "Not Modified", "notModified") : unmet();
  }
}

function unmatched(wanted: string | undefined, is: string): boolean {
  return wanted !== undefined && wanted !== is;
}

/** Returns the error for a failed precondition. */
export function unmet(): Refusal {
  return refused(412, "At least one of the pre-conditions you specified did not hold.", "conditionNotMet");
}

/** Returns the etag of the JSON API: the generation and the metageneration, as a protocol buffer. */
export function etagOf({ generation, metageneration }: Pick<StoredObject, "generation" | "metageneration">): string {
  return Buffer.from([0x08, ...varint(generation), 0x10, ...varint(BigInt(metageneration))]).toString("base64");
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
