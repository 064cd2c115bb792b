import type { Clock } from "../contract.ts";
import type { Kinds } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import type { Ports } from "../lifetime.ts";
import type { Secrets } from "../local/keys.ts";
import { PostgresAccounts } from "./accounts.ts";
import type { Connections } from "./connections.ts";
import type { PostgresEntities } from "./entities.ts";
import { PostgresLeases } from "./leases.ts";
import type { PostgresMessages } from "./messages/messages.ts";
import type { PostgresObjects } from "./objects/objects.ts";
import { missingAccess, type ServiceAccess, type ServiceRole } from "./service-access.ts";

interface RoleParts {
  readonly entities: PostgresEntities;
  readonly objects: PostgresObjects;
  readonly messages: PostgresMessages;
  readonly clock: Clock;
  readonly secret: Secrets;
}

export class ServiceRoles {
  readonly #connect: (role: string) => Connections;
  readonly #connections = new Map<string, Connections>();
  readonly #objects: PostgresObjects[] = [];
  #roles: ReadonlyMap<string, ServiceRole> = new Map();

  constructor(connect: (role: string) => Connections) {
    this.#connect = connect;
  }

  /**
   * Connects services through their roles. Throws a PlatformError `data` if a role lacks access that its service needs.
   */
  async use(owner: Connections, roles: readonly ServiceRole[]): Promise<void> {
    const accessByRole = await readAccess(owner);
    for (const { service, role, access } of roles) {
      const own = accessByRole.get(role);
      const missing = own === undefined ? "the role" : missingAccess(access, own);
      if (missing === undefined) continue;
      throw new PlatformError(
        "data",
        `the database does not grant ${missing} to ${role}, the role of the service ${service}: run the SQL of "fw gen sql --grants"`,
      );
    }
    this.#roles = new Map([...this.#roles, ...roles.map((each) => [each.service, each] as const)]);
  }

  /** Returns a service's ports, on connections of its role; undefined if the caller is not a service. */
  portsOf(service: string, kinds: Kinds, { entities, objects, messages, clock, secret }: RoleParts): Ports | undefined {
    const role = this.#roles.get(service)?.role;
    if (role === undefined) return undefined;
    const connections = this.#connections.get(role) ?? this.#connect(role);
    this.#connections.set(role, connections);
    const own = objects.through(connections);
    this.#objects.push(own);
    return {
      entities: entities.through(connections).builtWith(kinds),
      leases: new PostgresLeases(connections),
      accounts: new PostgresAccounts(connections, clock, secret),
      objects: own,
      messages: messages.through(connections),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#objects.map((objects) => objects.close()));
    await Promise.all([...this.#connections.values()].map((connections) => connections.close()));
  }
}

async function readAccess(owner: Connections): Promise<ReadonlyMap<string, ServiceAccess>> {
  const [table] = await owner.runRepeatable("SELECT to_regclass($1) IS NOT NULL AS present", [
    `"${owner.address.schema}".service_roles`,
  ]);
  if (table?.["present"] !== true) return new Map();
  const rows = await owner.runRepeatable("SELECT role, access FROM @@service_roles");
  return new Map(rows.map(({ role, access }) => [String(role), JSON.parse(String(access)) as ServiceAccess]));
}
