import { createHmac, timingSafeEqual } from "node:crypto";
import { API, Errorf, type Header, type Raw, transaction } from "fw";
import { WebhookSecret } from "./access.ts";
import { deliveries } from "./deliveries.ts";
import { arrivals } from "./feed.ts";

export interface Signed {
  id: Header<string, "X-Delivery">;
  kind: Header<string, "X-Event">;
  signature: Header<string, "X-Signature-256">;
  body: Raw;
}

/** Accepts only bodies that were signed with the secret. */
export const receive = API(
  "POST /webhook",
  async (ctx, { id, kind, signature, body }: Signed): Promise<void> => {
    if (!isSigned(body.bytes, signature)) throw Errorf(401, "the signature is not ours");
    await transaction(ctx, async (tx) => {
      if ((await deliveries.find(tx, id)) !== undefined) return;
      const delivery = { id, at: tx.now(), kind, text: body.text() };
      await deliveries.create(tx, delivery);
      await arrivals.publish(tx, "", delivery);
    });
  },
  { status: 202, maxBody: "256KB" },
);

function isSigned(bytes: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", WebhookSecret.value()).update(bytes).digest("hex")}`);
  const given = Buffer.from(signature);
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
}
