import { Auth, Secret } from "fw";

/** People sign in; their programs bring access tokens. */
export const auth = Auth({ password: true, tokens: true });

/** The key with which the sender signs deliveries. */
export const WebhookSecret = Secret("WEBHOOK_SECRET");
