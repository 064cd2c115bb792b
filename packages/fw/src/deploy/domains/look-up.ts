import { Resolver } from "node:dns/promises";
import { domainLookupMs } from "../../lib/limits.ts";

/** Where a name leads, as the internet's own directory says. */
export interface LeadsTo {
  readonly addresses: readonly string[];
  /** Names that it stands for. */
  readonly aliases: readonly string[];
}

/** Looks a name up; a text is why that cannot be said. */
export type LookUp = (name: string) => Promise<LeadsTo | string>;

/** Looks names up at the servers of `FW_DNS_SERVERS`, or at those of this machine, and waits no longer than a few seconds. */
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
        found(resolver.resolve4(name)),
        found(resolver.resolve6(name)),
        found(resolver.resolveCname(name)),
      ]);
      return { addresses: [...four, ...six], aliases: aliases.map((alias) => alias.toLowerCase()) };
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A name without records of a type, or that is not there, leads nowhere. */
async function found(answer: Promise<string[]>): Promise<readonly string[]> {
  try {
    return await answer;
  } catch (error) {
    if (["ENODATA", "ENOTFOUND"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
