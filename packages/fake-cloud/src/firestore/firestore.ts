import { param, query, type Api, type Call } from "../api.ts";
import type { CloudClock } from "../clock.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { changeOf } from "../fields.ts";
import { methodsOf, namedIn, nameOf, shortName, type ResourceKind } from "../methods.ts";
import { Operations } from "../operations.ts";
import { inPages } from "../pages.ts";

const host = "firestore.googleapis.com";

/** Milliseconds until a database is there, and until an index or a policy is in use. */
const databaseMs = 300;
const buildingMs = 1_000;

type Database = Readonly<Record<string, unknown>> & { readonly deleteProtectionState?: string };

interface Index {
  readonly name: string;
  readonly queryScope?: string;
  readonly apiScope?: string;
  readonly fields: readonly { readonly fieldPath?: string; readonly order?: string }[];
  state: "CREATING" | "READY";
}

/** Databases of Firestore, their composite indexes, and which documents they delete by themselves. */
export class Firestore {
  readonly api: Api;
  readonly databases: Map<string, Database> = new Map();
  readonly indexes: Map<string, Index> = new Map();
  readonly #ttl = new Map<string, "CREATING" | "ACTIVE">();
  readonly #making = new Set<string>();
  readonly #operations: Operations;
  readonly #clock: CloudClock;
  #last = 0;

  constructor(cloud: Cloud) {
    this.#operations = new Operations(cloud);
    this.#clock = cloud.clock;
    this.api = { host, methods: { ...this.#databaseMethods(), ...this.#indexMethods() } };
  }

  #databaseMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "firestore.projects.databases",
      permissions: "datastore.databases",
      on: namedIn(host),
    };
    return {
      ...methodsOf(kind, {
        create: (call) => {
          const id = query(call, "databaseId") ?? "";
          if (!/^(?:\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/.test(id)) throw invalid(`Invalid database ID: ${id}`);
          const name = `${param(call, "parent")}/databases/${id}`;
          if (this.databases.has(name) || this.#making.has(name))
            throw new Refusal("ALREADY_EXISTS", "Database already exists. Please use another database_id");
          this.#making.add(name);
          return this.#begin(name, databaseMs, () => {
            const defaults = {
              concurrencyMode: "OPTIMISTIC",
              appEngineIntegrationMode: "DISABLED",
              deleteProtectionState: "DELETE_PROTECTION_DISABLED",
              pointInTimeRecoveryEnablement: "POINT_IN_TIME_RECOVERY_DISABLED",
            };
            const made = { ...defaults, ...(call.body as object), name };
            this.databases.set(name, made);
            return made;
          });
        },
        get: { permission: "getMetadata", run: (call) => this.#database(call) },
        list: () => ({ databases: [...this.databases.values()] }),
        patch: (call) => {
          const name = nameOf(call);
          const changed = { ...this.#database(call), ...changeOf(call) };
          return this.#begin(name, databaseMs, () => {
            this.databases.set(name, changed);
            return changed;
          });
        },
        delete: (call) => {
          const name = nameOf(call);
          if (this.#database(call).deleteProtectionState === "DELETE_PROTECTION_ENABLED")
            throw new Refusal("FAILED_PRECONDITION", "Delete protection is enabled for this database.");
          return this.#begin(name, databaseMs, () => {
            this.databases.delete(name);
            this.#making.delete(name);
            for (const index of this.indexes.keys()) if (index.startsWith(`${name}/`)) this.indexes.delete(index);
            for (const field of this.#ttl.keys()) if (field.startsWith(`${name}/`)) this.#ttl.delete(field);
            return {};
          });
        },
      }),
      "firestore.projects.databases.operations.get": this.#operations.getMethod,
    };
  }

  #indexMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "firestore.projects.databases.collectionGroups",
      permissions: "datastore.indexes",
      on: namedIn(host),
    };
    return methodsOf(kind, {
      "indexes.create": {
        permission: "create",
        run: (call) => {
          const parent = param(call, "parent");
          const database = this.#of(parent);
          const { fields = [], ...settings } = call.body as Partial<Index>;
          if (fields.length < 2)
            throw invalid("this index is not necessary, configure using single field index controls");
          // The key is last in every index, in the direction of the field before it.
          const given = [...fields, { fieldPath: "__name__", order: fields.at(-1)?.order ?? "ASCENDING" }];
          const same = [...this.indexes.values()].find(
            (one) => one.name.startsWith(`${parent}/`) && JSON.stringify(one.fields) === JSON.stringify(given),
          );
          if (same) throw new Refusal("ALREADY_EXISTS", "index already exists");
          this.#last += 1;
          const name = `${parent}/indexes/CICA${String(this.#last).padStart(8, "0")}`;
          const index: Index = { ...settings, name, fields: given, state: "CREATING" };
          this.indexes.set(name, index);
          return this.#begin(database, buildingMs, () => {
            index.state = "READY";
            return index;
          });
        },
      },
      "indexes.list": {
        permission: "list",
        run: (call) => {
          const parent = param(call, "parent");
          this.#of(parent);
          // `-` is every kind.
          const below = parent.endsWith("/-") ? parent.slice(0, -1) : `${parent}/`;
          return inPages(call, { indexes: [...this.indexes.values()].filter(({ name }) => name.startsWith(below)) });
        },
      },
      "indexes.delete": {
        permission: "delete",
        run: (call) => {
          if (!this.indexes.delete(nameOf(call))) throw new Refusal("NOT_FOUND", "Index not found.");
        },
      },
      "fields.get": {
        permission: "get",
        run: (call) => {
          this.#of(nameOf(call));
          return this.#field(nameOf(call));
        },
      },
      "fields.patch": {
        permission: "update",
        run: (call) => {
          const name = nameOf(call);
          const database = this.#of(name);
          const { ttlConfig } = call.body as { ttlConfig?: object };
          if (ttlConfig === undefined) this.#ttl.delete(name);
          else if (!this.#ttl.has(name)) this.#ttl.set(name, "CREATING");
          return this.#begin(database, buildingMs, () => {
            if (this.#ttl.has(name)) this.#ttl.set(name, "ACTIVE");
            return this.#field(name);
          });
        },
      },
    });
  }

  /** A change that takes a while, and then has its effect. */
  #begin(database: string, milliseconds: number, end: () => unknown): unknown {
    const change = this.#clock.sleep(milliseconds).then(end);
    return this.#operations.start(database, () => ({}), change);
  }

  #field(name: string): unknown {
    const state = this.#ttl.get(name);
    return { name, indexConfig: { usesAncestorConfig: true }, ...(state && { ttlConfig: { state } }) };
  }

  #database(call: Call): Database {
    const database = this.databases.get(nameOf(call));
    if (!database) throw new Refusal("NOT_FOUND", `The database ${shortName(nameOf(call))} does not exist.`);
    return database;
  }

  /** The database that a resource is in. */
  #of(name: string): string {
    const database = /^projects\/[^/]+\/databases\/[^/]+/.exec(name)?.[0] ?? "";
    if (!this.databases.has(database))
      throw new Refusal("NOT_FOUND", `The database ${shortName(database)} does not exist.`);
    return database;
  }
}
