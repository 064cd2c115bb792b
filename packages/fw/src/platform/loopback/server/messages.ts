import type { Ask } from "../../grants.ts";
import type { Carrier, OutgoingMessage } from "../../messages.ts";
import type { Args } from "./args.ts";
import { operation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const messages: Readonly<Record<string, Operation>> = {
  "messages/send": operation(
    (args) => ({ carrier: args.carrier("carrier"), message: outgoingOf(args) }),
    ({ carrier }) => [carrierAsked(carrier)],
    ({ carrier, message }, { platform }) => platform.messages.send(carrier, message),
  ),
};

/** What sending asks for. */
export function carrierAsked({ kind, name }: Carrier): Ask {
  return { kind, name, asks: "send" };
}

export function outgoingOf(args: Args): OutgoingMessage {
  return { body: args.text("body"), ...args.present("delay", (each) => args.number(each)) };
}
