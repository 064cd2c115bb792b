import type { KindDefinition } from "../../platform/contract.ts";

/**
 * The submits of pages with `once`: running since `at`, handled with the response in `answer`, or handled with a
 * response that could not be stored (`unstored`).
 */
export const submitKind = "_fw_submits";

/** The kinds that the framework stores for pages with `once`. */
export const submitKinds: readonly KindDefinition[] = [
  { kind: submitKind, framework: true, properties: [], composites: [] },
];
