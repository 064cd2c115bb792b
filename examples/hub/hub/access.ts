import { Auth, Secret } from "fw";

/** Users sign in; their programs send access tokens. */
export const auth = Auth({ password: true, tokens: true });

/** The key with which the sender signs deliveries. */
export const WebhookSecret = Secret("WEBHOOK_SECRET");
