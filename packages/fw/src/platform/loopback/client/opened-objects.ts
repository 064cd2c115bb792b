import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import type { OpenedObject } from "../../codecs.ts";
import type { StoredObject } from "../../objects.ts";
import type { Connection } from "./connection.ts";

/** Opened objects whose bytes are in the serving process. */
export class OpenedObjects {
  readonly #connection: Connection;
  /** Handles of garbage-collected objects; the next opened object releases them. */
  #forgotten: string[] = [];
  readonly #abandoned = new FinalizationRegistry<string>((handle) => this.#forgotten.push(handle));

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  objectOf({ handle, ...facts }: OpenedObject): StoredObject {
    const unreachable = this.#forgotten.splice(0);
    // If this fails, they are released when the connection ends.
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

/**
 * Streams a response with backpressure. Sends the request at the first read; cancelling the stream closes its
 * connection. Keeps `holder` reachable.
 */
function downloadStream(ask: () => Promise<IncomingMessage>, holder: object): ReadableStream<Uint8Array> {
  let answer: Promise<IncomingMessage> | undefined;
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    answer = ask();
    yield* await answer;
  }
  const cancel = async (): Promise<void> => void (await answer?.catch(() => undefined))?.destroy();
  return pulled(bytes(), { cancel, holder });
}
