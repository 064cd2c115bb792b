import { request, type IncomingMessage } from "node:http";
import { CallSigner } from "../../platform/call-signer.ts";
import { devCall } from "../../workspace/announcement.ts";
import { Refusal } from "../command.ts";
import { addressOf } from "../run/answers.ts";
import type { Serving } from "../serve/serving.ts";

/**
 * A snapshot of the data for this process to copy. The data's server holds it, or a lock keeps servers from starting.
 */
export interface DataHold {
  /** The time of the snapshot in RFC 3339 format. */
  readonly at: string;
  /** Rejects if the server no longer holds the snapshot. */
  requireHeld(): Promise<void>;
  release(): void;
}

/** The path of the request, below `/_fw/`. The server holds the snapshot until the response is closed. */
export const holdPath = "dev/operate/hold";

/** Asks the running server to hold a snapshot. */
export function holdThrough(serving: Serving): Promise<DataHold> {
  const signer = new CallSigner(devCall.invoker, serving.callKey);
  return new Promise((resolve, reject) => {
    const ask = request(`${addressOf(serving)}/_fw/${holdPath}`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${signer.tokenFor(devCall.audience)}`, "content-length": "0" },
    });
    ask.on("error", reject);
    ask.on("response", (answer) => {
      if (answer.statusCode !== 200)
        return reject(
          new Refusal(`the server responded with ${answer.statusCode} when asked to hold its data for the copy`),
        );
      answer.on("error", () => {});
      answer.once("data", (line: Buffer) => resolve(holdFrom(answer, line)));
    });
    ask.end();
  });
}

function holdFrom(answer: IncomingMessage, line: Buffer): DataHold {
  const { at } = JSON.parse(line.toString()) as { readonly at: string };
  let isOver = false;
  answer.once("close", () => (isOver = true));
  answer.resume();
  return {
    at,
    async requireHeld() {
      // Let a pending `close` event of the response arrive first.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) throw new Refusal("the server stopped during the copy; the incomplete backup was deleted");
    },
    release: () => void answer.destroy(),
  };
}
