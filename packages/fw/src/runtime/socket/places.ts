import { StatusError } from "../../declare/errors.ts";
import { socketConnections, socketsOfAddress } from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";

/** The connections that are open in this process, by who has them. */
const open = new Map<string, number>();
let all = 0;

/** Takes a place for a connection of an address, until what it returns is called. Throws a StatusError where there is none left. */
export function takePlace(address: string): () => void {
  const own = open.get(address) ?? 0;
  if (own >= socketsOfAddress) throw new StatusError(429, messages.tooManySockets);
  if (all >= socketConnections) throw new StatusError(503, messages.tooManySockets);
  open.set(address, own + 1);
  all++;
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    all--;
    const left = (open.get(address) ?? 1) - 1;
    if (left === 0) open.delete(address);
    else open.set(address, left);
  };
}
