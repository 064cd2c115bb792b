/**
 * Has the parser's allocator give back to the system what it frees, at once instead of later: it asks the environment when the parser is
 * loaded. What the environment says already holds.
 */
export function returnMemory(env: NodeJS.ProcessEnv): void {
  env["MIMALLOC_PURGE_DELAY"] ??= "0";
}
