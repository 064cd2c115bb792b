import { StatusError } from "../../declare/errors.ts";
import {
  streamsOfProcess,
  streamsOfAddress,
  streamsOfUser,
  socketConnections,
  socketsOfAddress,
  socketsOfUser,
} from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";

/** The client that holds something open. */
interface Holder {
  readonly ip: string;
  /** The account's id; undefined for an anonymous client. */
  readonly user: string | undefined;
}

interface PlaceLimits {
  readonly ofAddress: number;
  readonly ofUser: number;
  readonly ofProcess: number;
}

/** Counts what clients hold open in this process, by address and by user. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #addresses = new Map<string, number>();
  readonly #users = new Map<string, number>();
  #all = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Takes a place until the returned function is called. Throws a StatusError, 429 or 503, where none is left. */
  take(holder: Holder): () => void {
    this.require(holder);
    return this.takeAnyway(holder);
  }

  /** Throws a StatusError, 429 or 503, where no place is left. */
  require({ ip, user }: Holder): void {
    const { ofAddress, ofUser, ofProcess } = this.#limits;
    const isCrowded =
      (this.#addresses.get(ip) ?? 0) >= ofAddress || (user !== undefined && (this.#users.get(user) ?? 0) >= ofUser);
    if (isCrowded) throw new StatusError(429, messages.tooManyConnections);
    if (this.#all >= ofProcess) throw new StatusError(503, messages.tooManyConnections);
  }

  /** Takes a place also where none is left, for what has begun already. */
  takeAnyway({ ip, user }: Holder): () => void {
    this.#add(ip, user, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(ip, user, -1);
      isTaken = false;
    };
  }

  #add(ip: string, user: string | undefined, by: 1 | -1): void {
    this.#all += by;
    addTo(this.#addresses, ip, by);
    if (user !== undefined) addTo(this.#users, user, by);
  }
}

function addTo(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The open sockets of this process. */
export const socketPlaces: Places = new Places({
  ofAddress: socketsOfAddress,
  ofUser: socketsOfUser,
  ofProcess: socketConnections,
});

/** The event streams of this process, and the answers that have been sent for longer than `longAnswerMs`. */
export const streamPlaces: Places = new Places({
  ofAddress: streamsOfAddress,
  ofUser: streamsOfUser,
  ofProcess: streamsOfProcess,
});
