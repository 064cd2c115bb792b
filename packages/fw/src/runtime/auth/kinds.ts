import type { KindDefinition } from "../../platform/contract.ts";

/** Sessions, by the hash of their id. */
export const sessionKind = "_fw_sessions";

/** One document an account, written whenever its sessions are marked stale or ended. */
export const sessionMarkKind = "_fw_session_marks";

/** Who has signed in before, by account: `{ id, at }`. */
export const seenKind = "_fw_seen";

/** Whose `registered` was published, by account: `{ id, at }`. */
export const registeredKind = "_fw_registered";

/** What the framework keeps where somebody can sign in. */
export const authKinds: readonly KindDefinition[] = [
  { kind: sessionKind, framework: true, properties: [{ name: "account" }], composites: [] },
  { kind: sessionMarkKind, framework: true, properties: [{ name: "at" }], composites: [] },
  { kind: seenKind, framework: true, properties: [], composites: [] },
  { kind: registeredKind, framework: true, properties: [], composites: [] },
];
