import { nameOf, shortName, param, query, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { methodsOf, namedIn, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";
import { Resources } from "../resources.ts";

const host = "firestore.googleapis.com";

/** Milliseconds that a change to a database takes, and those until an index or policy is active. */
const databaseMs = 300;
const buildingMs = 1_000;

type Database = Readonly<Record<string, unknown>> & { readonly deleteProtectionState?: string };

interface Index {
  readonly name: string;
  readonly fields: readonly { readonly fieldPath?: string; readonly order?: string }[];
  state: "CREATING" | "READY";
}

/** Firestore databases, their composite indexes and their TTL policies. */
export class Firestore {
  readonly api: Api;
  readonly databases: Resources<Database>;
  readonly indexes: Map<string, Index> = new Map();
  readonly #ttl = new Map<string, "CREATING" | "ACTIVE">();
  readonly #cloud: Cloud;
  #last = 0;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.databases = this.#kept(cloud);
    this.api = {
      host,
      methods: {
        ...this.databases.methods(),
        ...this.#indexMethods(),
        "firestore.projects.databases.operations.get": this.#cloud.operations.getMethod,
      },
    };
  }

  #kept({ operations }: Cloud): Resources<Database> {
    return new Resources<Database>({
      methods: "firestore.projects.databases",
      permissions: "datastore.databases",
      permissionNames: { get: "getMetadata" },
      on: namedIn(host),
      items: "databases",
      newName: (call) => {
        const id = query(call, "databaseId") ?? "";
        if (!/^(?:\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/.test(id)) throw invalid(`Invalid database ID: ${id}`);
        return `${param(call, "parent")}/databases/${id}`;
      },
      missing: (name) => new Refusal("NOT_FOUND", `The database ${shortName(name)} does not exist.`),
      exists: () => new Refusal("ALREADY_EXISTS", "Database already exists. Please use another database_id"),
      make: (call, name) => ({
        concurrencyMode: "OPTIMISTIC",
        appEngineIntegrationMode: "DISABLED",
        deleteProtectionState: "DELETE_PROTECTION_DISABLED",
        pointInTimeRecoveryEnablement: "POINT_IN_TIME_RECOVERY_DISABLED",
        ...(call.body as object),
        name,
      }),
      remove: ({ deleteProtectionState }, name) => {
        if (deleteProtectionState === "DELETE_PROTECTION_ENABLED")
          throw new Refusal("FAILED_PRECONDITION", "Delete protection is enabled for this database.");
        for (const below of [this.indexes, this.#ttl])
          for (const inside of below.keys()) if (inside.startsWith(`${name}/`)) below.delete(inside);
      },
      takes: { operations, place: (name) => name, create: databaseMs, patch: databaseMs, delete: databaseMs },
    });
  }

  #indexMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "firestore.projects.databases.collectionGroups",
      permissions: "datastore.indexes",
      on: namedIn(host),
    };
    return methodsOf(kind, {
      "indexes.create": (call) => {
        const parent = param(call, "parent");
        const database = this.#of(parent);
        const { fields = [], ...settings } = call.body as Partial<Index>;
        if (fields.length < 2)
          throw invalid("this index is not necessary, configure using single field index controls");
        // The key is the last property of every index, in the direction of the property before it.
        const orders = [...fields, { fieldPath: "__name__", order: fields.at(-1)?.order ?? "ASCENDING" }];
        const same = [...this.indexes.values()].find(
          (one) => one.name.startsWith(`${parent}/`) && JSON.stringify(one.fields) === JSON.stringify(orders),
        );
        if (same) throw new Refusal("ALREADY_EXISTS", "index already exists");
        this.#last += 1;
        const name = `${parent}/indexes/CICA${String(this.#last).padStart(8, "0")}`;
        const index: Index = { ...settings, name, fields: orders, state: "CREATING" };
        this.indexes.set(name, index);
        return this.#cloud.operations.after(database, buildingMs, () => {
          index.state = "READY";
          return index;
        });
      },
      "indexes.list": (call) => {
        const parent = param(call, "parent");
        this.#of(parent);
        // `-` means every kind.
        const below = parent.endsWith("/-") ? parent.slice(0, -1) : `${parent}/`;
        return inPages(call, { indexes: [...this.indexes.values()].filter(({ name }) => name.startsWith(below)) });
      },
      "indexes.delete": (call) => {
        if (!this.indexes.delete(nameOf(call))) throw new Refusal("NOT_FOUND", "Index not found.");
      },
      "fields.get": (call) => {
        this.#of(nameOf(call));
        return this.#field(nameOf(call));
      },
      "fields.patch": (call) => {
        const name = nameOf(call);
        const database = this.#of(name);
        const { ttlConfig } = call.body as { ttlConfig?: object };
        if (ttlConfig === undefined) this.#ttl.delete(name);
        else if (!this.#ttl.has(name)) this.#ttl.set(name, "CREATING");
        return this.#cloud.operations.after(database, buildingMs, () => {
          if (this.#ttl.has(name)) this.#ttl.set(name, "ACTIVE");
          return this.#field(name);
        });
      },
    });
  }

  #field(name: string): unknown {
    const state = this.#ttl.get(name);
    return { name, indexConfig: { usesAncestorConfig: true }, ...(state && { ttlConfig: { state } }) };
  }

  /** Returns the name of a resource's database. Refuses a database that does not exist. */
  #of(name: string): string {
    const database = /^projects\/[^/]+\/databases\/[^/]+/.exec(name)?.[0] ?? "";
    this.databases.byName(database);
    return database;
  }
}
