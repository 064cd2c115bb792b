import { kindOf, type Kind } from "./definitions.ts";
import { PlatformError, type PlatformErrorCode } from "./errors.ts";

/** The definitions of a kind to try: the caller's own first, then the store's, newest first. */
export interface KindCandidates {
  readonly own: Kind | undefined;
  readonly defined: readonly Kind[];
}

/**
 * Runs `work` with the first definition of a kind. If it fails with one of `codes`, tries the others; if all fail,
 * throws the first error. Throws a PlatformError `document` without a definition.
 */
export function withFirstKind<T>(
  name: string,
  { own, defined }: KindCandidates,
  codes: readonly PlatformErrorCode[],
  work: (kind: Kind) => T,
): T {
  const first = own ?? defined[0] ?? kindOf(new Map(), name);
  try {
    return work(first);
  } catch (error) {
    if (!(error instanceof PlatformError && codes.includes(error.code))) throw error;
    for (const kind of defined) {
      if (kind === first) continue;
      try {
        return work(kind);
      } catch (other) {
        if (!(other instanceof PlatformError)) throw other;
      }
    }
    throw error;
  }
}
