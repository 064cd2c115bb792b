import type { KindDefinition } from "../../platform/contract.ts";

/** Sessions, by the hash of their id. */
export const sessionKind = "_fw_sessions";

/** One document per account, written each time its sessions are marked stale or ended. */
export const sessionMarkKind = "_fw_session_marks";

/** Accounts that have signed in at least once, by the account's id: `{ at }`. */
export const seenKind = "_fw_seen";

/** Accounts whose `registered` event was published, by the account's id: `{ at }`. */
export const registeredKind = "_fw_registered";

/** The kinds that the framework stores for applications with Auth. */
export const authKinds: readonly KindDefinition[] = [
  { kind: sessionKind, framework: true, properties: [{ name: "account" }], composites: [] },
  { kind: sessionMarkKind, framework: true, properties: [{ name: "at" }], composites: [] },
  { kind: seenKind, framework: true, properties: [], composites: [] },
  { kind: registeredKind, framework: true, properties: [], composites: [] },
];
