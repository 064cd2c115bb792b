import type { DomainStatus } from "../../deploy/domains/state.ts";

/** What has become of each domain, and the records that it waits for. */
export function domainsText(domains: readonly DomainStatus[]): string {
  const lines = domains.flatMap(({ domain, service, state, records, note }) => [
    `${domain} → ${service}: ${state}${note === undefined ? "" : ` (${note})`}`,
    ...(state === "awaiting DNS" ? records.map(({ type, name, data }) => `    set ${type} ${name} → ${data}`) : []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
