import { Auth, Secret } from "fw";

/** People sign in; their programs bring access tokens. */
export const auth = Auth({ password: true, tokens: true });

/** What the sender of deliveries signs them with. */
export const WebhookSecret = Secret("WEBHOOK_SECRET");
