import type { ParsedAlert } from "../../readers/alert.ts";
import type { ParsedChannel } from "../../readers/channel.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed } from "../not-named.ts";

export const channelBinding: Rule = {
  id: "channel-binding",
  title: "An `Alert` names the channels to notify, and a `Channel` has an address or the secret with its URL",
  *declaration(read) {
    if (read.kind === "alert") yield* channelsMistake(read);
    if (read.kind === "channel") yield* targetMistake(read);
  },
};

const channel = {
  noun: "a channel",
  example: 'export const oncall = Channel("oncall", { email: "oncall@example.com" })',
};
const secret = { noun: "a secret", example: 'export const hook = Secret("ONCALL_HOOK")' };

function* channelsMistake({ declaration, config: { at, settings, complete } }: ParsedAlert): Iterable<Finding> {
  const { notify } = settings;
  const hint = "write notify: [oncall], with the channels to notify";
  if (notify === undefined) {
    if (complete && settings.if) yield { at, message: `the alert "${declaration.variable}" notifies no channel`, hint };
  } else if (notify.value === undefined) yield { at: notify.at, message: "notify is not a list of channels", hint };
  else if (notify.value.length === 0)
    yield { at: notify.at, message: `the alert "${declaration.variable}" notifies no channel`, hint };
  for (const { at, value } of notify?.value ?? []) if (value) yield* notNamed(value.reference, at, channel);
}

function* targetMistake({ declaration, config: { at, settings, complete } }: ParsedChannel): Iterable<Finding> {
  const { email, webhook } = settings;
  const hint = 'write { email: "oncall@example.com" }, or { webhook: hook } with a Secret that contains the URL';
  if (email && webhook)
    yield {
      at,
      message: `the channel "${declaration.variable}" has both an address and a URL`,
      hint: "declare a separate channel for each",
    };
  else if (!email && !webhook) {
    if (complete) yield { at, message: `the channel "${declaration.variable}" has no address`, hint };
  } else if (webhook?.value) yield* notNamed(webhook.value.reference, webhook.at, secret);
  else if (email && !isAddress(email.value)) yield { at: email.at, message: addressMistake(email.value), hint };
}

function addressMistake(value: unknown): string {
  return typeof value === "string" ? `"${value}" is not an address` : "the address is not a string constant";
}

/** True for one mailbox in the format of a user's identity: no display name and no list. */
function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/.test(value);
}
