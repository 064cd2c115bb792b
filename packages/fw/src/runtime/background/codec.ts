import type { DeadLetter } from "../../declare/delivery.ts";
import { Fault } from "../../declare/errors.ts";
import type { User } from "../../declare/user.ts";
import { partsOfEvent } from "../../lib/events.ts";
import type { Destination } from "../../platform/messages.ts";
import type { Wiring } from "../application.ts";
import { type Identity, userOf } from "../auth/user.ts";
import { parseExact } from "../body/json-exact.ts";
import type { BundledDestination } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";

/** JSON text of a message. Throws a Fault where it is not of the declared type, which nobody could receive. */
export function encodeMessage(destination: BundledDestination, message: unknown): string {
  const text = (destination.encode === undefined ? JSON.stringify(message) : destination.encode(message)) ?? "null";
  try {
    decodeMessage(destination, text);
    return text;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new Fault(`the ${destination.kind} "${destination.name}" takes no such message: ${error.message}`);
  }
}

/** The message of JSON text. Throws a BadInput, or what JSON.parse throws. */
export function decodeMessage(destination: BundledDestination, text: string): unknown {
  return destination.decode(parsed(destination, text));
}

function parsed({ exactIntegers }: BundledDestination, text: string): unknown {
  return exactIntegers ? parseExact(text) : (JSON.parse(text) as unknown);
}

/** What a consumer of `source` is handed for a delivered body. */
export function decodeDelivery(app: Wiring, source: Destination, body: string): unknown {
  if (source.kind !== "event") return decodeMessage(destinationOf(app, source.kind, source.name), body);
  const { kind, about } = partsOfEvent(source.name);
  switch (kind) {
    case "auth.registered":
    case "auth.first-sign-in":
      return readUser(body);
    case "bucket.uploaded":
      return readObjectInfo(body);
    case "dead.queue":
      return readDeadLetter(destinationOf(app, "queue", about), body);
    case "dead.topic":
      return readDeadLetter(destinationOf(app, "topic", about), body);
    default:
      throw new Fault(`there is no event "${source.name}"`);
  }
}

function destinationOf(app: Wiring, kind: BundledDestination["kind"], name: string): BundledDestination {
  const found = app.bundle.destinations?.find((destination) => destination.kind === kind && destination.name === name);
  if (found === undefined) throw new Fault(`the ${kind} "${name}" is not part of this application`);
  return found;
}

function readUser(body: string): User {
  return userOf(JSON.parse(body) as Identity);
}

function readObjectInfo(body: string): unknown {
  const info = JSON.parse(body) as { readonly updated: string };
  return { ...info, updated: new Date(info.updated) };
}

/** The message inside is as it was written. */
function readDeadLetter(destination: BundledDestination, body: string): unknown {
  const { id, message, attempts, reason } = parsed(destination, body) as DeadLetter<unknown>;
  return { id, message: destination.decode(message), attempts, reason };
}
