import { request, type IncomingMessage } from "node:http";
import { CallSigner } from "../../platform/call-signer.ts";
import { devCall } from "../../workspace/announcement.ts";
import { Refusal } from "../command.ts";
import { addressOf } from "../run/answers.ts";
import type { Serving } from "../serve/serving.ts";

/** A moment that the server of some data holds while this process copies it. */
export interface Held {
  /** RFC 3339. */
  readonly at: string;
  /** Rejects where it is not held any more. */
  stillHeld(): Promise<void>;
  release(): void;
}

/** Below `/_fw/`. What is asked for there is held for as long as the answer lasts. */
export const holdPath = "dev/operate/hold";

/** Asks the server to hold a moment. */
export function holdThrough(serving: Serving): Promise<Held> {
  const signer = new CallSigner(devCall.invoker, serving.callKey);
  return new Promise((resolve, reject) => {
    const asked = request(`${addressOf(serving)}/_fw/${holdPath}`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${signer.tokenFor(devCall.audience)}`, "content-length": "0" },
    });
    asked.on("error", reject);
    asked.on("response", (answer) => {
      if (answer.statusCode !== 200)
        return reject(new Refusal(`the server answered ${answer.statusCode} where its data was to be copied`));
      answer.on("error", () => {});
      answer.once("data", (line: Buffer) => resolve(heldBy(answer, line)));
    });
    asked.end();
  });
}

function heldBy(answer: IncomingMessage, line: Buffer): Held {
  const { at } = JSON.parse(line.toString()) as { readonly at: string };
  let over = false;
  answer.once("close", () => (over = true));
  answer.resume();
  return {
    at,
    async stillHeld() {
      // What has come of its end is seen first.
      await new Promise((resolve) => setImmediate(resolve));
      if (over) throw new Refusal("the server stopped while its data was copied; nothing of the copy is kept");
    },
    release: () => void answer.destroy(),
  };
}
