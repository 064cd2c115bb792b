import { encodeTagged } from "../../../lib/tagged-json.ts";
import type { OpenedObject } from "../../codecs.ts";
import type { StoredObject } from "../../objects.ts";
import type { Connection } from "./connection.ts";
import { downloadStream } from "./download.ts";

/** Opened objects whose bytes are in the serving process. */
export class OpenedObjects {
  readonly #connection: Connection;
  /** Handles of garbage-collected objects; they are released with the next one that is opened. */
  #forgotten: string[] = [];
  readonly #abandoned = new FinalizationRegistry<string>((handle) => this.#forgotten.push(handle));

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  objectOf({ handle, ...facts }: OpenedObject): StoredObject {
    const unreachable = this.#forgotten.splice(0);
    // If this fails, the end of the connection releases them.
    if (unreachable.length > 0) this.#connection.write("objects/forget", encodeTagged([unreachable])).catch(() => {});
    const object: StoredObject = {
      ...facts,
      stream: (range) => {
        const text = encodeTagged([handle, range]);
        return downloadStream(() => this.#connection.download("objects/read", text), object);
      },
    };
    this.#abandoned.register(object, handle);
    return object;
  }
}
