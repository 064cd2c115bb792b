import { isA } from "../../lib/thrown.ts";

/** SQLSTATEs of connections that broke or could not be made: class 08, shutdown, too many, and a server that became read-only. */
const connectionStates = /^(?:08...|57P0[1-5]|53300|25006)$/;

/** Serialization failure and deadlock: the transaction was undone, and may succeed when it runs again. */
const raceStates = /^(?:40001|40P01)$/;

/** Errors that `pg` throws itself for a connection that is not there any more, or does not come about. */
const driverSentences =
  /^(?:Connection terminated|timeout exceeded|Client has encountered|Client was closed|Connection ended)/;

/** Whether the connection failed, so that the server may not have seen the statement. */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return connectionStates.test(state);
  if (!isA(error, Error)) return false;
  // Errors of the system, such as ECONNREFUSED; several of them where a name has several addresses.
  return (
    "errno" in error || "syscall" in error || error instanceof AggregateError || driverSentences.test(error.message)
  );
}

/** Whether the server undid the transaction because of another one. */
export function isLostRace(error: unknown): boolean {
  return raceStates.test(sqlState(error) ?? "");
}

/** The code of an error that the server sent. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}
