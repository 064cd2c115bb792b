import { encodeTagged } from "../../lib/tagged-json.ts";
import { systemClock } from "../clock.ts";
import { writeAll } from "../../lib/codec.ts";
import type { HeldLease, OpenedObject } from "../codecs.ts";
import type { Changes } from "../changes.ts";
import type { Platform } from "../contract.ts";
import { checkWrite } from "../base-objects.ts";
import { leaseOf } from "../lease.ts";
import { bytes, type AnyOperation, type Call } from "../operation.ts";
import { portsWith } from "../operations.ts";
import type { Lifetime, Ports } from "../lifetime.ts";
import { endingWith } from "../ports-until.ts";
import { Connection, type Address } from "./client/connection.ts";
import { Derivations } from "./client/derivations.ts";
import { OpenedObjects } from "./client/opened-objects.ts";
import { LoopbackTransaction } from "./client/transaction.ts";
import { upload } from "./client/upload.ts";

/** A platform served by another process of this machine (`server.ts`). It connects with its first call. */
export function openLoopback(address: Address, changesOver?: ChangesOver): Platform {
  return platformBehind(new Connection(address), changesOver);
}

/** Opens the stream of changes; only bundles of services that watch documents contain its code. */
type ChangesOver = (connection: Connection) => Changes;

export function platformBehind(connection: Connection, changesOver?: ChangesOver): Platform {
  const sharedState = { derivations: new Derivations(), openedObjects: new OpenedObjects(connection) };
  return {
    ...portsOf(connection, sharedState),
    ...(changesOver && { changes: changesOver(connection) }),
    clock: systemClock,
    until(lifetime) {
      connection.refuseIfClosed();
      const ports = portsOf(connection, sharedState, lifetime);
      return endingWith(lifetime, () => ports);
    },
    close: () => connection.close(),
  };
}

interface SharedState {
  readonly derivations: Derivations;
  readonly openedObjects: OpenedObjects;
}

function portsOf(connection: Connection, { derivations, openedObjects }: SharedState, lifetime?: Lifetime): Ports {
  const handlers = {
    lease: (held: HeldLease) => leaseOf(ports.leases, held),
    object: (object: OpenedObject) => openedObjects.objectOf(object),
  };
  const ports = portsWith(
    (port, method, operation) => {
      const call = callOf(connection, `${port}/${method}`, operation, lifetime);
      const { derives, handle } = operation;
      if (handle !== undefined) return async (...callArgs) => withHandler(await call(...callArgs), handlers[handle]);
      if (derives === undefined) return call;
      return (...callArgs) => (derives(...callArgs) ? derivations.during(() => call(...callArgs)) : call(...callArgs));
    },
    async (options) => {
      connection.refuseIfClosed();
      return new LoopbackTransaction(connection, options);
    },
  );
  return ports;
}

function withHandler(result: unknown, hand: (result: never) => unknown): unknown {
  return result === undefined ? undefined : hand(result as never);
}

function callOf(connection: Connection, path: string, operation: AnyOperation, lifetime: Lifetime | undefined): Call {
  const { does, args: codecs, answers, checks } = operation;
  const encodeArgs = (callArgs: readonly unknown[]): string => encodeTagged(writeAll(codecs, callArgs));
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0) return uploadOf(connection, path, operation, { textOf: encodeArgs, body });
  return async (...callArgs) => {
    checks?.(...callArgs);
    return answers.read(await connection[does](path, encodeArgs(callArgs), lifetime), "the answer");
  };
}

/** Like `callOf`, for an operation whose argument is bytes; the options after it may have a signal. */
function uploadOf(
  connection: Connection,
  path: string,
  { answers, checks }: AnyOperation,
  { textOf, body: at }: { readonly textOf: (callArgs: readonly unknown[]) => string; readonly body: number },
): Call {
  return async (...callArgs) => {
    const body = callArgs[at] as ReadableStream<Uint8Array>;
    const { signal } = callArgs[at + 1] as { readonly signal?: AbortSignal };
    checkWrite(body, () => {
      connection.refuseIfClosed();
      checks?.(...callArgs);
    });
    const signals = [connection.closing, ...(signal === undefined ? [] : [signal])];
    const answer = await connection.upload(path, textOf(callArgs), (request) => upload(request, body, signals));
    return answers.read(answer, "the answer");
  };
}
