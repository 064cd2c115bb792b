import type { LimitRate } from "../../../declare/limit.ts";
import type { Platform } from "../../../platform/contract.ts";
import { addressKey } from "../../../platform/account-fields.ts";
import { messages } from "../../error-messages.ts";
import { countUse } from "../../limit/count-use.ts";
import { RetryLater } from "../../response/busy.ts";

type RateName = "sign-in from" | "sign-in to" | "sign-ins by" | "code" | "password" | "mail to" | "mail by";

/**
 * The rate limit of each kind of attempt, counted under the name `_fw <kind>`, which no `Limit` of an application can
 * have.
 */
const rates: Readonly<Record<RateName, LimitRate>> = {
  /** Limit: sign-ins with a password for one email address from one client address. */
  "sign-in from": "20/15m",
  /** Limit: sign-ins with a password for one email address. */
  "sign-in to": "100/h",
  /** Limit: sign-ins with a password from one client address. */
  "sign-ins by": "300/15m",
  /** Limit: codes of second factors for one account. */
  code: "5/15m",
  /** Limit: checks of the current password on the account page, for one account. */
  password: "10/15m",
  /** Limit: mails that the framework sends to one email address. */
  "mail to": "5/h",
  /** Limit: mails that the framework sends at the request of one client address. */
  "mail by": "30/h",
};

/**
 * Counts one attempt for `key`, such as an address with or without an account. Throws a 429 if the key has exhausted
 * its rate.
 */
export async function countAttempt(platform: Platform, rate: RateName, key: string): Promise<void> {
  const seconds = await countUse(platform, { name: `_fw ${rate}`, rate: rates[rate] }, key);
  if (seconds > 0) throw new RetryLater(429, messages.limited(seconds), seconds, { retryAfter: seconds });
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address, because clients can choose the rest. */
function networkOf(ip: string): string {
  if (!ip.includes(":")) return ip;
  const [start, end] = ip.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = end === undefined ? 0 : 8 - (start?.length ?? 0) - end.length;
  const groups = [...(start ?? []), ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...(end ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(":");
}

export async function countSignIn(platform: Platform, email: string, ip: string): Promise<void> {
  const address = addressKey(email);
  const network = networkOf(ip);
  await countAttempt(platform, "sign-ins by", network);
  await countAttempt(platform, "sign-in from", `${network} ${address}`);
  await countAttempt(platform, "sign-in to", address);
}

/** Counts a client's request for a mail to an email address. */
export async function countMail(platform: Platform, email: string, ip: string): Promise<void> {
  await countAttempt(platform, "mail by", networkOf(ip));
  await countAttempt(platform, "mail to", addressKey(email));
}
