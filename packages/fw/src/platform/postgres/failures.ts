import { isA } from "../../lib/thrown.ts";

/**
 * SQLSTATEs of broken or refused connections: class 08, shutdown, too many connections, a server that became read-only,
 * and transactions that timed out.
 */
const connectionStates = /^(?:08...|57P0[1-5]|53300|25006|25P0[34])$/;

/** SQLSTATEs of a server that is out of disk space or memory: it rolled the transaction back and may recover. */
const exhaustedStates = /^53[12]00$/;

/** The SQLSTATE of a statement that the server canceled, for example because of its `statement_timeout`. */
const cancelledState = "57014";

/** Serialization failure and deadlock: the transaction was rolled back and may succeed if it runs again. */
const raceStates = /^(?:40001|40P01)$/;

/** The SQLSTATE of a statement that waited too long for a lock. */
export const lockTimeoutState = "55P03";

/** Errors that `pg` throws if a connection was lost or could not be opened. */
const driverSentences =
  /^(?:Connection terminated|timeout exceeded|Client has encountered|Client was closed|Connection ended)/;

/** True if the connection failed or was refused. The server may or may not have executed the statement. */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return connectionStates.test(state);
  if (!isA(error, Error)) return false;
  // Operating system errors such as ECONNREFUSED; an AggregateError if the name has several addresses.
  return (
    "errno" in error || "syscall" in error || error instanceof AggregateError || driverSentences.test(error.message)
  );
}

/** True if the server refused a write because it is read-only, like a replica before a failover. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === "25006";
}

/** True if the server lacks resources. The connection remains open. */
export function isExhausted(error: unknown): boolean {
  return exhaustedStates.test(sqlState(error) ?? "");
}

/** True if the server canceled the statement. A retry would probably be canceled, too. */
export function isCancelled(error: unknown): boolean {
  return sqlState(error) === cancelledState;
}

/** True if the server rolled the transaction back because of another one, or if its proof key is already in use. */
export function isLostRace(error: unknown): boolean {
  const state = sqlState(error) ?? "";
  return raceStates.test(state) || (state === "23505" && (error as { table?: unknown }).table === "commits");
}

export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}
