import { Resolver } from "node:dns/promises";

/** Limit: milliseconds that a deploy waits for a DNS lookup. */
const domainLookupMs = 5_000;

export interface DnsRecords {
  readonly addresses: readonly string[];
  /** CNAME targets. */
  readonly aliases: readonly string[];
}

/** Looks up a name; returns the reason if the lookup failed. */
export type LookUp = (name: string) => Promise<DnsRecords | string>;

/**
 * Returns a lookup that queries the DNS servers in `FW_DNS_SERVERS` or the system's, with a time limit of a few
 * seconds.
 */
export function openLookUp(
  { FW_DNS_SERVERS: servers }: Readonly<Record<string, string | undefined>>,
  milliseconds: number = domainLookupMs,
): LookUp {
  return async (name) => {
    const resolver = new Resolver({ timeout: milliseconds / 2, tries: 2 });
    if (servers) resolver.setServers(servers.split(",").map((server) => server.trim()));
    const timer = setTimeout(() => resolver.cancel(), milliseconds);
    try {
      const [four, six, aliases] = await Promise.all([
        recordsOf(resolver.resolve4(name)),
        recordsOf(resolver.resolve6(name)),
        recordsOf(resolver.resolveCname(name)),
      ]);
      return { addresses: [...four, ...six], aliases: aliases.map((alias) => alias.toLowerCase()) };
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Returns the records of a DNS response; none if the name or the record type does not exist. */
async function recordsOf(answer: Promise<string[]>): Promise<readonly string[]> {
  try {
    return await answer;
  } catch (error) {
    if (["ENODATA", "ENOTFOUND"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
