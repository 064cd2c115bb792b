import type { KindDefinition } from "../../../platform/contract.ts";

/** Mailed links and sign-ins waiting for a code, by the public half of their token. */
export const linkKind = "_fw_links";

/** Second factors of accounts, by the account's id. */
export const factorKind = "_fw_factors";

/** The kinds that the framework stores for accounts that users manage themselves. */
export const accountKinds: readonly KindDefinition[] = [
  { kind: linkKind, framework: true, properties: [], composites: [] },
  { kind: factorKind, framework: true, properties: [], composites: [] },
];
