/** Milliseconds after which something that a test expects counts as missing; `vitest.config.ts` sets them. */
export const patienceMs = Number(process.env["FW_TEST_PATIENCE_MS"] ?? 240_000);
