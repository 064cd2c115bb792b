/** Milliseconds that a test waits for an expected event; `vitest.config.ts` sets them. */
export const patienceMs = Number(process.env["FW_TEST_PATIENCE_MS"] ?? 240_000);
