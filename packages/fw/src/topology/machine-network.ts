import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../lib/thrown.ts";
import { CallSigner } from "../platform/call-signer.ts";
import { CallVerifier } from "../platform/call-verifier.ts";
import { newCallKeys } from "../platform/calls.ts";
import type { Calls, MachineKey, MachineKeys } from "../platform/machine-keys.ts";
import type { ListeningPool } from "./listening.ts";

/** The name under which a machine forwards clients' requests to services of other machines. No service can have it. */
export const frontName = "fw:front";

/** Milliseconds between two renewals of this machine's key, each of which reads the keys of the others. */
const renewMs = 10_000;

/** Milliseconds after which a machine changes its key. */
const keyAgeMs = 86_400_000;

/** The minimum milliseconds between the reads of keys that unknown tokens cause. */
const rereadMs = 1_000;

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export interface MachineNetworkOptions {
  readonly keys: MachineKeys;
  /** The services that this machine runs; empty if it forwards the requests of clients. */
  readonly services: ReadonlySet<string>;
  /** Returns the address of the machines that run a service. */
  readonly addressOf: (service: string) => HostAddress;
  readonly warn: (sentence: string) => void;
}

/** A call, or a client's request that a front forwards, to a service of this machine. */
export interface AdmittedCall {
  /** The calling service, or `frontName`. */
  readonly caller: string;
  readonly service: string;
}

/**
 * The other machines of an application whose services run on different machines. Signs calls to them with this
 * machine's key, which never leaves this process, and verifies calls from them with the keys that they have published.
 */
export class MachineNetwork {
  readonly #options: MachineNetworkOptions;
  readonly #pools = new Map<string, ListeningPool>();
  readonly #verifiers: ReadonlyMap<string, CallVerifier>;
  #key = newMachineKey();
  readonly #signers = new Map<string, CallSigner>();
  /** The calls that this machine's key may make. */
  #ownCalls: Calls = {};
  /** All calls between services of the running build. */
  #buildCalls: Calls = {};
  #keys: readonly MachineKey[] = [];
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #onChange: () => void = () => {};

  constructor(options: MachineNetworkOptions) {
    this.#options = options;
    this.#verifiers = new Map([...options.services].map((service) => [service, new CallVerifier(service, {})]));
  }

  /** Whether this machine forwards the requests of clients instead of running services. */
  get isFront(): boolean {
    return this.#options.services.size === 0;
  }

  get services(): ReadonlySet<string> {
    return this.#options.services;
  }

  runs(service: string): boolean {
    return this.#options.services.has(service);
  }

  /** Calls this when services of other machines may call other services than before. */
  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /**
   * Publishes the calls that this machine makes with a build, before its services start. Calls of the build before stay
   * possible, because its services may still finish their work. `calls` has those of all services.
   */
  async announce(calls: Calls): Promise<void> {
    const names = this.isFront ? [frontName] : [...this.services];
    this.#ownCalls = Object.fromEntries(
      names.map((name) => [name, [...new Set([...(this.#ownCalls[name] ?? []), ...(calls[name] ?? [])])].toSorted()]),
    );
    this.#buildCalls = calls;
    await this.#renew();
    this.#timer ??= setInterval(() => {
      this.#renewing = this.#renew().catch((error: unknown) =>
        this.#options.warn(`the key of this machine could not be renewed: ${messageOf(error)}`),
      );
    }, renewMs).unref();
  }

  /** Withdraws this machine's key. Its tokens are refused once the other machines have noticed. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (this.#timer !== undefined) await this.#options.keys.withdraw(this.#key.id).catch(() => {});
  }

  /** Returns the machines of a service, always as the same object. */
  poolOf(service: string): ListeningPool {
    const existing = this.#pools.get(service);
    if (existing !== undefined) return existing;
    const { host, port } = this.#options.addressOf(service);
    const pool: ListeningPool = { ready: Promise.resolve(), hasFailed: false, host, use: (work) => work(port) };
    this.#pools.set(service, pool);
    return pool;
  }

  /** Whether a caller of this machine may call a service of another one. */
  mayCall(caller: string, service: string): boolean {
    return this.#ownCalls[caller]?.includes(service) === true;
  }

  /** Returns a token for a call to a service of another machine. */
  tokenFor(caller: string, service: string): string {
    const signer = this.#signers.get(caller) ?? new CallSigner(identityOf(caller, this.#key.id), this.#key.privateKey);
    this.#signers.set(caller, signer);
    return signer.tokenFor(service);
  }

  /** The services of any machine that may call a service. */
  callersOf(service: string): readonly string[] {
    const all = [this.#buildCalls, ...this.#keys.map(({ calls }) => calls)];
    const callers = all.flatMap((calls) => Object.keys(calls).filter((caller) => calls[caller]?.includes(service)));
    return [...new Set(callers)].filter((caller) => caller !== frontName).toSorted();
  }

  /** Returns the call that a token is for; undefined if it is forged, expired, or for no service of this machine. */
  async open(token: string): Promise<AdmittedCall | undefined> {
    const call = this.#verify(token);
    if (call !== undefined) return call;
    // The machine that signed it may have started a moment ago.
    await this.#reread();
    return this.#verify(token);
  }

  #verify(token: string): AdmittedCall | undefined {
    for (const [service, verifier] of this.#verifiers) {
      const opened = verifier.open(token, Date.now());
      if ("invoker" in opened) return { caller: opened.invoker.slice(0, opened.invoker.lastIndexOf("@")), service };
    }
    return undefined;
  }

  /** Reads the keys after the call, however often it is called at most once in `rereadMs`. */
  #reread(): Promise<void> {
    return (this.#reading ??= this.#readLater());
  }

  async #readLater(): Promise<void> {
    await wait(Math.max(0, this.#readAt + rereadMs - performance.now()));
    this.#reading = undefined;
    await this.#read().catch(() => {});
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    const keys = await this.#options.keys.list();
    const isSame = JSON.stringify(keys) === JSON.stringify(this.#keys);
    this.#keys = keys;
    if (isSame) return;
    for (const [service, verifier] of this.#verifiers) verifier.trust(keysOf(service, keys));
    this.#onChange();
  }

  async #renew(): Promise<void> {
    const { keys } = this.#options;
    const next = performance.now() - this.#key.since > keyAgeMs ? newMachineKey() : this.#key;
    await keys.publish({ id: next.id, publicKey: next.publicKey, calls: this.#ownCalls });
    if (next !== this.#key) {
      // The old key is not renewed any more, and lapses after its last tokens.
      this.#key = next;
      this.#signers.clear();
    }
    await this.#read();
  }
}

function newMachineKey() {
  return { ...newCallKeys(), id: randomUUID(), since: performance.now() };
}

/** The identity in a token: the caller, and the key with which its machine signs. */
function identityOf(caller: string, keyId: string): string {
  return `${caller}@${keyId}`;
}

/** Returns the keys of the callers of a service, by their identity in tokens. */
function keysOf(service: string, keys: readonly MachineKey[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keys.flatMap(({ id, publicKey, calls }) =>
      Object.keys(calls)
        .filter((caller) => calls[caller]?.includes(service))
        .map((caller) => [identityOf(caller, id), publicKey]),
    ),
  );
}
