import type { Bundle } from "../../runtime/bundle.ts";

/**
 * Returns a bundle with copies of rows, because the console replaces declarations in them to observe handlers. The next
 * version may have the same bundle, and finds its rows by the original declarations.
 */
export function withOwnRows(bundle: Bundle): Bundle {
  const { endpoints, consumers, crons, singletons, authenticators } = bundle;
  return {
    ...bundle,
    endpoints: endpoints.map((row) => ({ ...row, ...(row.allow && { allow: { ...row.allow } }) })),
    ...(consumers && { consumers: consumers.map(copyOf) }),
    ...(crons && { crons: crons.map(copyOf) }),
    ...(singletons && { singletons: singletons.map(copyOf) }),
    ...(authenticators && { authenticators: authenticators.map(copyOf) }),
  };
}

function copyOf<T extends object>(row: T): T {
  return { ...row };
}
