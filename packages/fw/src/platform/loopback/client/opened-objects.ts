import { encodeTagged } from "../../../lib/tagged-json.ts";
import type { OpenedObject } from "../../codecs.ts";
import type { StoredObject } from "../../objects.ts";
import type { Connection } from "./connection.ts";
import { downloaded } from "./download.ts";

/** Objects that were opened, whose bytes another process keeps. */
export class OpenedObjects {
  readonly #connection: Connection;
  /** The names of those that nobody can read any more; they are told with the next one that is opened. */
  #forgotten: string[] = [];
  readonly #abandoned = new FinalizationRegistry<string>((handle) => this.#forgotten.push(handle));

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  objectOf({ handle, ...facts }: OpenedObject): StoredObject {
    const forgotten = this.#forgotten.splice(0);
    // What cannot be told is let go with the connection.
    if (forgotten.length > 0) this.#connection.write("objects/forget", encodeTagged([forgotten])).catch(() => {});
    const object: StoredObject = {
      ...facts,
      stream: (range) => {
        const text = encodeTagged([handle, range]);
        return downloaded(() => this.#connection.download("objects/read", text), object);
      },
    };
    this.#abandoned.register(object, handle);
    return object;
  }
}
