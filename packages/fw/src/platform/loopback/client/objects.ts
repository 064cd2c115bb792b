import { isContentType } from "../../../lib/content-type.ts";
import { PlatformError } from "../../errors.ts";
import { checkObjectKey } from "../../object-key.ts";
import type {
  Grant,
  ObjectFacts,
  ObjectPage,
  Objects,
  PutOptions,
  SignedRequest,
  StoredObject,
} from "../../objects.ts";
import type { Connection } from "./connection.ts";
import { downloaded } from "./download.ts";
import { upload } from "./upload.ts";

/** Objects that another process keeps. */
export class LoopbackObjects implements Objects {
  readonly #connection: Connection;
  /** The names of opened objects that nobody can read any more; they are told with the next one that is opened. */
  #forgotten: string[] = [];
  readonly #abandoned = new FinalizationRegistry<string>((handle) => this.#forgotten.push(handle));

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async open(bucket: string, key: string): Promise<StoredObject | undefined> {
    const forget = this.#forgotten.splice(0);
    const opened = await this.#connection.read<{ readonly facts: ObjectFacts; readonly handle: string } | undefined>(
      "objects/open",
      { bucket, key, forget },
    );
    return opened && this.#opened(opened.facts, opened.handle);
  }

  async find(bucket: string, key: string): Promise<ObjectFacts | undefined> {
    return this.#connection.read("objects/find", { bucket, key });
  }

  async put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts> {
    const { contentType, maxSize, signal } = options;
    try {
      this.#connection.refuseIfClosed();
      checkObjectKey(key);
      if (!isContentType(contentType))
        throw new PlatformError("content-type", `${JSON.stringify(contentType)} is not a content type`);
    } catch (error) {
      body.cancel(error).catch(() => {});
      throw error;
    }
    const { closing } = this.#connection;
    const given = { bucket, key, contentType, maxSize };
    return this.#connection.upload("objects/put", given, (request) =>
      upload(request, body, signal === undefined ? [closing] : [closing, signal]),
    );
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.#connection.write("objects/delete", { bucket, key });
  }

  async list(
    bucket: string,
    prefix: string,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage> {
    return this.#connection.read("objects/list", { bucket, prefix, after, limit });
  }

  async sign({ bucket, key, method, expires, maxSize, contentType }: Grant): Promise<SignedRequest> {
    return this.#connection.read("objects/sign", { bucket, key, method, expires, maxSize, contentType });
  }

  async openGrant(token: string): Promise<Grant | undefined> {
    return this.#connection.read("objects/openGrant", { token });
  }

  #opened(facts: ObjectFacts, handle: string): StoredObject {
    const object: StoredObject = {
      ...facts,
      stream: (range) => downloaded(() => this.#connection.download("objects/read", { handle, range }), object),
    };
    this.#abandoned.register(object, handle);
    return object;
  }
}
