import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { SerialQueue } from "../lib/serial-queue.ts";
import { messageOf } from "../lib/thrown.ts";
import { CallSigner } from "../platform/call-signer.ts";
import { CallVerifier, claimsIn } from "../platform/call-verifier.ts";
import { newCallKeys, type CallClaims } from "../platform/calls.ts";
import { atMost } from "../platform/clock.ts";
import { machineKeyMs, type Calls, type MachineKey, type MachineKeys } from "../platform/machine-keys.ts";
import type { ListeningPool } from "./listening.ts";

/** The caller name of a machine that forwards clients' requests to other machines. No service can have it. */
export const frontName = "fw:front";

/** Milliseconds between renewals of this machine's key. Each renewal also reads the other machines' keys. */
const renewMs = 10_000;

/** Milliseconds after which a machine replaces its key. */
const keyAgeMs = 86_400_000;

/** Milliseconds between publishing and using a new key, so that all machines can read it first. */
const keyLeadMs = 3 * renewMs;

/** The minimum milliseconds between a read of the published keys and another one because of an unknown key. */
const rereadMs = 1_000;

/** Milliseconds that a request with an unknown key may wait for a read of the published keys. */
const rereadWaitMs = 5_000;

/** Milliseconds that a stopping machine waits for a renewal of its key, and then for the withdrawal of its keys. */
const leaveMs = 1_000;

/** Milliseconds of an outage in which keys may have lapsed merely because machines could not renew them. */
const outageMs = machineKeyMs - 2 * renewMs;

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export interface MachineNetworkOptions {
  readonly keys: MachineKeys;
  /** The services that this machine runs; empty for a machine that only forwards clients' requests. */
  readonly services: ReadonlySet<string>;
  readonly addressOf: (service: string) => HostAddress;
  readonly warn: (sentence: string) => void;
}

/** A call to a service of this machine, or a client's request that a front forwards. */
export interface AdmittedCall {
  /** The calling service, or `frontName`. */
  readonly caller: string;
  readonly service: string;
}

/**
 * The other machines of an application. Signs calls to them with this machine's key, which never leaves this process,
 * and verifies their calls with their published keys.
 */
export class MachineNetwork {
  readonly #options: MachineNetworkOptions;
  readonly #pools = new Map<string, ListeningPool>();
  readonly #verifiers: ReadonlyMap<string, CallVerifier>;
  #key = newMachineKey();
  readonly #signers = new Map<string, CallSigner>();
  /** The published key that will replace this machine's key. */
  #nextKey: ReturnType<typeof newMachineKey> | undefined;
  /** The calls that this machine's key may make. */
  #ownCalls: Calls = {};
  #keys: readonly MachineKey[] = [];
  /** The identities that may call services of this machine. */
  #identities: ReadonlySet<string> = new Set();
  /** The machines' common time at the last read of the keys. */
  #time = { now: Date.now(), at: performance.now() };
  #readAt = performance.now();
  #askedAt = -Infinity;
  /** The monotonic time until which lapsed keys remain valid. */
  #graceEnds = -Infinity;
  #rereading: Promise<boolean> | undefined;
  readonly #reads = new SerialQueue();
  readonly #renewals = new SerialQueue();
  #renewing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MachineNetworkOptions) {
    this.#options = options;
    this.#verifiers = new Map([...options.services].map((service) => [service, new CallVerifier(service, {})]));
  }

  /** Whether this machine forwards clients' requests and runs no services. */
  get isFront(): boolean {
    return this.#options.services.size === 0;
  }

  get services(): ReadonlySet<string> {
    return this.#options.services;
  }

  runs(service: string): boolean {
    return this.#options.services.has(service);
  }

  /**
   * Publishes the calls of this machine's services in a new build, before the services start. The previous build may
   * still make its calls, because its services may have work to finish. `calls` contains the calls of all services.
   */
  async announce(calls: Calls): Promise<void> {
    const names = this.isFront ? [frontName] : [...this.services];
    this.#ownCalls = Object.fromEntries(
      names.map((name) => [name, [...new Set([...(this.#ownCalls[name] ?? []), ...(calls[name] ?? [])])].toSorted()]),
    );
    await this.#renewals.run(() => this.#renew());
    this.#timer ??= setInterval(() => {
      this.#renewing ??= this.#renewals
        .run(() => this.#renew())
        .catch((error: unknown) =>
          this.#options.warn(`the key of this machine could not be renewed: ${messageOf(error)}`),
        )
        .finally(() => (this.#renewing = undefined));
    }, renewMs).unref();
  }

  /**
   * Withdraws this machine's keys. Other machines refuse its tokens once they notice. Waits only briefly for a database
   * that is down: the keys lapse anyway.
   */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#timer === undefined) return;
    await atMost(this.#renewing ?? Promise.resolve(), leaveMs);
    const ids = [this.#key, this.#nextKey].flatMap((key) => key?.id ?? []);
    await atMost(Promise.all(ids.map((id) => this.#options.keys.withdraw(id).catch(() => {}))), leaveMs);
  }

  /** Returns the machines of a service. Always returns the same object for a service. */
  poolOf(service: string): ListeningPool {
    const existing = this.#pools.get(service);
    if (existing !== undefined) return existing;
    const { host, port } = this.#options.addressOf(service);
    const pool: ListeningPool = { ready: undefined, hasFailed: false, host, use: (work) => work(port) };
    this.#pools.set(service, pool);
    return pool;
  }

  mayCall(caller: string, service: string): boolean {
    return this.#ownCalls[caller]?.includes(service) === true;
  }

  tokenFor(caller: string, service: string): string {
    const { id, privateKey } = this.#key;
    const signer = this.#signers.get(caller) ?? new CallSigner(identityOf(caller, id), privateKey, () => this.#now());
    this.#signers.set(caller, signer);
    return signer.tokenFor(service);
  }

  /**
   * Returns the call that a token authorizes; undefined if it is forged, expired, or for no service of this machine.
   * Returns "unreadable" if the key is unknown and the published keys could not be read.
   */
  async open(token: string): Promise<AdmittedCall | "unreadable" | undefined> {
    const claims = claimsIn(token);
    const verifier = claims && this.#verifiers.get(claims.aud);
    if (claims === undefined || verifier === undefined) return undefined;
    const isKnown = this.#identities.has(callKey(claims.iss, claims.aud));
    if (!isKnown && claims.exp * 1000 <= this.#now()) return undefined;
    // The machine that signed it may have just started.
    const hasRead = isKnown || (await this.#reread());
    const opened = verifier.open(token, this.#now());
    if ("invoker" in opened) return callOf(claims);
    return hasRead ? undefined : "unreadable";
  }

  /**
   * Reads the published keys, at least `rereadMs` after the last read. Concurrent callers share one read. Resolves with
   * false if the keys could not be read in time.
   */
  async #reread(): Promise<boolean> {
    this.#rereading ??= this.#reads.run(async () => {
      await wait(Math.max(0, this.#askedAt + rereadMs - performance.now()));
      this.#rereading = undefined;
      return this.#read().then(
        () => true,
        () => false,
      );
    });
    let hasRead = false;
    await atMost(
      this.#rereading.then((isRead) => (hasRead = isRead)),
      rereadWaitMs,
    );
    return hasRead;
  }

  async #read(): Promise<void> {
    this.#askedAt = performance.now();
    const { keys, now } = await this.#options.keys.list();
    const at = performance.now();
    if (at - this.#readAt > outageMs) this.#graceEnds = at + keyLeadMs;
    this.#readAt = at;
    this.#time = { now, at };
    const listed = new Set(keys.map(({ id }) => id));
    const lapsed = at < this.#graceEnds ? this.#keys.filter(({ id }) => !listed.has(id)) : [];
    this.#trust([...keys, ...lapsed]);
  }

  #trust(keys: readonly MachineKey[]): void {
    const isSame = JSON.stringify(keys) === JSON.stringify(this.#keys);
    this.#keys = keys;
    if (isSame) return;
    const identities = [...this.#verifiers].flatMap(([service, verifier]) => {
      const own = keysOf(service, keys);
      verifier.trust(own);
      return Object.keys(own).map((identity) => callKey(identity, service));
    });
    this.#identities = new Set(identities);
  }

  /** Publishes this machine's key. After a day, also publishes a new key, and later replaces the old one. */
  async #renew(): Promise<void> {
    const { keys } = this.#options;
    if (performance.now() - this.#key.since > keyAgeMs) this.#nextKey ??= newMachineKey();
    for (const key of [this.#key, this.#nextKey])
      if (key !== undefined) await keys.publish({ id: key.id, publicKey: key.publicKey, calls: this.#ownCalls });
    if (this.#nextKey !== undefined && performance.now() - this.#nextKey.since >= keyLeadMs) {
      // The old key is no longer renewed, and lapses after its last tokens.
      this.#key = this.#nextKey;
      this.#nextKey = undefined;
      this.#signers.clear();
    }
    await this.#reads.run(() => this.#read());
  }

  /** Returns the machines' common time, which does not depend on this machine's clock. */
  #now(): number {
    return this.#time.now + performance.now() - this.#time.at;
  }
}

function newMachineKey() {
  return { ...newCallKeys(), id: randomUUID(), since: performance.now() };
}

function callOf({ iss, aud }: CallClaims): AdmittedCall {
  return { caller: iss.slice(0, iss.lastIndexOf("@")), service: aud };
}

/** Returns the member of `#identities` for a caller's identity and the service it calls. */
function callKey(identity: string, service: string): string {
  return `${identity} ${service}`;
}

/** Returns the identity in a token: the caller and the key that its machine signs with. */
function identityOf(caller: string, keyId: string): string {
  return `${caller}@${keyId}`;
}

/** Returns the keys of a service's callers, by the callers' identities in tokens. */
function keysOf(service: string, keys: readonly MachineKey[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keys.flatMap(({ id, publicKey, calls }) =>
      Object.keys(calls)
        .filter((caller) => calls[caller]?.includes(service))
        .map((caller) => [identityOf(caller, id), publicKey]),
    ),
  );
}
