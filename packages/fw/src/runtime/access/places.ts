import { StatusError } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";

/** Limit: open sockets per address and process. */
export const socketsOfAddress = 100;

/** Limit: open sockets per user and process. */
export const socketsOfUser = 100;

/** Limit: open sockets per process. */
export const socketConnections = 10_000;

/** Limit: open streams per address and process: server-sent events and long responses. */
export const streamsOfAddress = 100;

/** Limit: open streams per user and process. */
const streamsOfUser = 100;

/** Limit: open streams per process. */
const streamsOfProcess = 10_000;

/** The client that keeps a connection or stream open. */
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

/** Limits the connections and streams that clients keep open in this process: per address, per user and in total. */
export class ConnectionPlaces {
  readonly #limits: PlaceLimits;
  readonly #addresses = new Map<string, number>();
  readonly #users = new Map<string, number>();
  #all = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Takes a place until the returned function is called. Throws a 429 or 503 if none is free. */
  take(holder: Holder): () => void {
    this.require(holder);
    return this.takeUnchecked(holder);
  }

  /** Throws a 429 or 503 if no place is free. */
  require({ ip, user }: Holder): void {
    const { ofAddress, ofUser, ofProcess } = this.#limits;
    const isCrowded =
      (this.#addresses.get(ip) ?? 0) >= ofAddress || (user !== undefined && (this.#users.get(user) ?? 0) >= ofUser);
    if (isCrowded) throw new StatusError(429, messages.tooManyConnections);
    if (this.#all >= ofProcess) throw new StatusError(503, messages.tooManyConnections);
  }

  /** Takes a place even if none is free, because the response has already started. */
  takeUnchecked({ ip, user }: Holder): () => void {
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

export const socketPlaces: ConnectionPlaces = new ConnectionPlaces({
  ofAddress: socketsOfAddress,
  ofUser: socketsOfUser,
  ofProcess: socketConnections,
});

/** The places for this process's event streams and for responses that take longer than `longAnswerMs`. */
export const streamPlaces: ConnectionPlaces = new ConnectionPlaces({
  ofAddress: streamsOfAddress,
  ofUser: streamsOfUser,
  ofProcess: streamsOfProcess,
});
