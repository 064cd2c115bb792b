import type { Ask } from "../../grants.ts";
import type { Destination, OutgoingMessage } from "../../messages.ts";
import type { Args } from "./args.ts";
import { operation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const messages: Readonly<Record<string, Operation>> = {
  "messages/send": operation(
    (args) => ({ destination: args.destination("destination"), message: outgoingOf(args) }),
    ({ destination }) => [destinationAsked(destination)],
    ({ destination, message }, { platform }) => platform.messages.send(destination, message),
  ),
};

/** What sending asks for. */
export function destinationAsked({ kind, name }: Destination): Ask {
  return { kind, name, asks: "send" };
}

export function outgoingOf(args: Args): OutgoingMessage {
  return { body: args.text("body"), ...args.present("delay", (each) => args.number(each)) };
}
