import type { SettingReader } from "./config.ts";
import { someConstant } from "./settings.ts";

type DeliverySettings = Readonly<
  Record<"maxAttempts" | "minBackoff" | "maxBackoff" | "rateLimit", SettingReader<unknown>>
>;

/** The delivery of a Worker or a Subscribe. */
export const deliverySettings: DeliverySettings = {
  maxAttempts: someConstant,
  minBackoff: someConstant,
  maxBackoff: someConstant,
  rateLimit: someConstant,
};
