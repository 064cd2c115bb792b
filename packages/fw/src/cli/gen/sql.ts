import { platformGrants } from "../../topology/grants.ts";
import { sourceRoot } from "../app-root.ts";
import { checkedUses } from "../checked-app.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { output } from "./write.ts";

interface SqlOptions {
  readonly grants: true | undefined;
  readonly schema: string | undefined;
  readonly out: string | undefined;
}

/** Prints SQL that gives each service access to its own rows of a shared database, or writes it to a file. */
export async function writeSql(options: SqlOptions, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  if (!options.grants)
    throw new Refusal(
      "missing option --grants: fw gen sql prints only grants, because fw serve creates the tables itself",
    );
  const { grantsSql } = await import("../../platform/postgres/grants-sql.ts");
  const { serviceRoles } = await import("../../platform/postgres/service-access.ts");
  const { app, uses } = await checkedUses(root);
  return output(grantsSql(options.schema ?? "fw", serviceRoles(app.name, platformGrants(app, uses))), options, io);
}
