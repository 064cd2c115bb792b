import { Auth, Secret } from "fw";

/** Users sign in; their programs use access tokens. */
export const auth = Auth({ password: true, tokens: true });

/** The key that the sender signs deliveries with. */
export const WebhookSecret = Secret("WEBHOOK_SECRET");
