import type { AccountMail } from "../../declare/auth.ts";
import type { ObjectInfo } from "../../declare/bucket.ts";
import type { DeadLetter } from "../../declare/delivery.ts";
import { Fault } from "../../declare/errors.ts";
import { partsOfEvent } from "../../lib/events.ts";
import type { Destination } from "../../platform/messages.ts";
import type { Wiring } from "../application.ts";
import { type Identity, userOf } from "../auth/user.ts";
import { parseExact } from "../body/json-exact.ts";
import type { BundledDestination } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { usesAccounts, usesBuckets, usesTenants } from "../capabilities.ts";
import { tenantOfUpload } from "../tenant/confined-objects.ts";
import { unwrapMessage, type ReceivedMessage } from "../tenant/tenant-message.ts";
import { isObject } from "../../lib/record-in.ts";
import type { OldMessage } from "../../declare/evolution.ts";
import { exactText } from "../../lib/exact-text.ts";
import { MisfitMessage } from "../../platform/misfit.ts";

/** Encodes a message as JSON. Throws a Fault if it is not of the declared type: no consumer could decode it. */
export function encodeMessage(destination: BundledDestination, message: unknown): string {
  const text = (destination.encode === undefined ? JSON.stringify(message) : destination.encode(message)) ?? "null";
  try {
    decodeMessage(destination, text);
    return text;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new Fault(`the ${destination.kind} "${destination.name}" refuses this message: ${error.message}`);
  }
}

/** Decodes a message sent by this version. Throws a BadInput or the error of JSON.parse. */
export function decodeMessage(destination: BundledDestination, text: string): unknown {
  return destination.decode(parseBody(destination, text));
}

export function decodeSent(destination: BundledDestination, text: string): ReceivedMessage {
  return readMessage(destination, parseBody(destination, text), ({ decode }, message) => decode(message));
}

function parseBody({ exactIntegers }: BundledDestination, text: string): unknown {
  return exactIntegers ? parseExact(text) : (JSON.parse(text) as unknown);
}

export function decodeDelivery(app: Wiring, source: Destination, body: string): ReceivedMessage {
  if (source.kind !== "event") {
    const destination = destinationOf(app, source.kind, source.name);
    return readMessage(destination, parseBody(destination, body), decodeStored);
  }
  const { kind, about } = partsOfEvent(source.name);
  if (usesAccounts && kind === "auth.mail") return { message: readMail(body) };
  switch (kind) {
    case "auth.registered":
    case "auth.first-sign-in":
      return { message: userOf(JSON.parse(body) as Identity) };
    case "bucket.uploaded":
      return readObjectInfo(app, about, body);
    case "dead.queue":
      return readDeadLetter(destinationOf(app, "queue", about), body);
    case "dead.topic":
      return readDeadLetter(destinationOf(app, "topic", about), body);
    default:
      throw new Fault(`unknown event "${source.name}"`);
  }
}

/** Decodes a stored message. With tenants, also returns its sender. */
function readMessage(
  destination: BundledDestination,
  value: unknown,
  decode: (destination: BundledDestination, message: unknown) => unknown,
): ReceivedMessage {
  if (!usesTenants) return { message: decode(destination, value) };
  const { message, sender } = unwrapMessage(destination, value);
  return { message: decode(destination, message), sender };
}

function destinationOf(app: Wiring, kind: BundledDestination["kind"], name: string): BundledDestination {
  const match = app.bundle.destinations?.find((destination) => destination.kind === kind && destination.name === name);
  if (match === undefined) throw new Fault(`the ${kind} "${name}" is not part of this application`);
  return match;
}

function readMail(body: string): AccountMail {
  const { expires, ...mail } = JSON.parse(body) as Omit<AccountMail, "expires"> & { readonly expires?: string };
  return expires === undefined ? mail : { ...mail, expires: new Date(expires) };
}

function readObjectInfo(app: Wiring, bucket: string, body: string): ReceivedMessage {
  const info = JSON.parse(body) as Omit<ObjectInfo, "updated"> & { readonly updated: string };
  const sender = usesTenants && usesBuckets ? tenantOfUpload(app, bucket, info.key) : undefined;
  return { message: { ...info, ...sender?.info, updated: new Date(info.updated) }, sender };
}

/** Decodes a dead letter, including the message inside it, which an older version may have sent. */
function readDeadLetter(destination: BundledDestination, body: string): ReceivedMessage {
  const { id, message: stored, attempts, reason } = parseBody(destination, body) as DeadLetter<unknown>;
  const { message, sender } = readMessage(destination, stored, decodeStored);
  return { message: { id, message, attempts, reason }, sender };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Decodes a message that an older version may have sent. The destination's migration rules convert fields that do not
 * fit. Throws a MisfitMessage if they cannot.
 */
export function decodeStored(destination: BundledDestination, value: unknown): unknown {
  const { renamed, upgrade = {} } = destination.declaration?.evolution ?? {};
  let message = renamed === undefined ? value : withNewNames(value, renamed as Readonly<Record<string, string>>);
  const appliedRules = new Set<string>();
  for (;;) {
    try {
      return destination.decode(message);
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const { field } = error;
      if (field === undefined || appliedRules.has(field) || !Object.hasOwn(upgrade, field) || !isObject(message))
        throw misfit(destination, error);
      appliedRules.add(field);
      message = withField(message, field, valueOf(upgrade[field], value as Members));
    }
  }
}

function withNewNames(message: unknown, renamed: Readonly<Record<string, string>>): unknown {
  if (!isObject(message)) return message;
  const renames = Object.entries(renamed).filter(
    ([name, earlier]) => !Object.hasOwn(message, name) && Object.hasOwn(message, earlier),
  );
  return renames.length === 0
    ? message
    : { ...message, ...Object.fromEntries(renames.map(([name, earlier]) => [name, message[earlier]])) };
}

function withField(message: Members, name: string, value: unknown): Members {
  return { ...message, [name]: value };
}

/** Returns the value of a rule as JSON would represent it. */
function valueOf(rule: unknown, old: Members): unknown {
  const value = typeof rule === "function" ? (rule as (old: OldMessage) => unknown)(old as OldMessage) : rule;
  return value === undefined ? undefined : parseExact(exactText(value) ?? "null");
}

function misfit({ kind, name }: BundledDestination, { message }: BadInput): MisfitMessage {
  return new MisfitMessage(
    `it does not fit the type of the ${kind} "${name}": ${message}; it waits for a version that accepts it`,
  );
}
