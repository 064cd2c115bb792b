import type { DeadLetter } from "../../declare/delivery.ts";
import { Fault } from "../../declare/errors.ts";
import type { User } from "../../declare/user.ts";
import type { Carrier } from "../../platform/messages.ts";
import type { Application } from "../application.ts";
import type { Identity } from "../auth/session.ts";
import { userOf } from "../auth/user.ts";
import { parseExact } from "../body/json-exact.ts";
import type { BundledCarrier } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";

/** JSON text of a message. Throws a Fault where it is not of the declared type, which nobody could receive. */
export function encodeMessage(carrier: BundledCarrier, message: unknown): string {
  const text = (carrier.encode === undefined ? JSON.stringify(message) : carrier.encode(message)) ?? "null";
  try {
    decodeMessage(carrier, text);
    return text;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new Fault(`the ${carrier.kind} "${carrier.name}" takes no such message: ${error.message}`);
  }
}

/** The message of JSON text. Throws a BadInput, or what JSON.parse throws. */
export function decodeMessage(carrier: BundledCarrier, text: string): unknown {
  return carrier.decode(parsed(carrier, text));
}

function parsed({ exactIntegers }: BundledCarrier, text: string): unknown {
  return exactIntegers ? parseExact(text) : (JSON.parse(text) as unknown);
}

/** What a receiver of `source` is handed for a delivered body. */
export function decodeDelivery(app: Application, source: Carrier, body: string): unknown {
  if (source.kind !== "event") return decodeMessage(carrierOf(app, source.kind, source.name), body);
  const [event, of = ""] = split(source.name);
  switch (event) {
    case "auth.registered":
    case "auth.first-sign-in":
      return readUser(body);
    case "bucket.uploaded":
      return readObjectInfo(body);
    case "dead.queue":
      return readDeadLetter(carrierOf(app, "queue", of), body);
    case "dead.topic":
      return readDeadLetter(carrierOf(app, "topic", of), body);
    default:
      throw new Fault(`there is no event "${source.name}"`);
  }
}

function carrierOf(app: Application, kind: BundledCarrier["kind"], name: string): BundledCarrier {
  const found = app.bundle.carriers?.find((carrier) => carrier.kind === kind && carrier.name === name);
  if (found === undefined) throw new Fault(`the ${kind} "${name}" is not part of this application`);
  return found;
}

function split(name: string): [event: string, of?: string] {
  const colon = name.indexOf(":");
  return colon === -1 ? [name] : [name.slice(0, colon), name.slice(colon + 1)];
}

function readUser(body: string): User {
  return userOf(JSON.parse(body) as Identity);
}

function readObjectInfo(body: string): unknown {
  const info = JSON.parse(body) as { readonly updated: string };
  return { ...info, updated: new Date(info.updated) };
}

/** The message inside is as it was written. */
function readDeadLetter(carrier: BundledCarrier, body: string): unknown {
  const { id, message, attempts, reason } = parsed(carrier, body) as DeadLetter<unknown>;
  return { id, message: carrier.decode(message), attempts, reason };
}
