import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Query } from "../contract.ts";
import type { Fields, Scalar, Value } from "../values.ts";
import { freePort } from "../../lib/testing/free-port.ts";

/** The emulator in the Google Cloud CLI; `FW_FIRESTORE_EMULATOR` sets another path for its jar. */
const jar: string =
  process.env["FW_FIRESTORE_EMULATOR"] ??
  "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar";

export const hasEmulator: boolean = existsSync(jar);

const project = "demo-fw";

/** Google's emulator of Firestore in Datastore mode, for a single test. */
export class DatastoreEmulator {
  /** Host and port in the format of `DATASTORE_EMULATOR_HOST`. */
  readonly host: string;
  readonly #base: string;
  readonly #process: ReturnType<typeof spawn>;

  constructor(port: number) {
    this.host = `127.0.0.1:${port}`;
    this.#base = `http://${this.host}`;
    const main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore";
    const options = ["start", "--host=127.0.0.1", `--port=${port}`, "--database-mode=datastore-mode"];
    this.#process = spawn("java", ["-Duser.language=en", "-cp", jar, main, ...options], { stdio: "ignore" });
  }

  /** Starts an emulator; tries another port if a different process has taken its port. */
  static async start(): Promise<DatastoreEmulator> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const emulator = new DatastoreEmulator(await freePort());
      while (emulator.#process.exitCode === null) {
        if (await emulator.#answers()) return emulator;
        await setTimeout(100);
      }
    }
    throw new Error("Google's emulator of Datastore mode ends as soon as it is started");
  }

  /** True if the emulator responds. Another process on this port would respond differently. */
  async #answers(): Promise<boolean> {
    const answer = await fetch(this.#base).then((response) => response.text(), String);
    return answer.trim() === "Ok";
  }

  stop(): void {
    this.#process.kill("SIGKILL");
  }

  /** Writes documents of a kind, given by id. */
  async write(kind: string, documents: ReadonlyMap<string, Fields>): Promise<void> {
    const entities = [...documents].map(([id, fields]) => ({ key: key(kind, id), properties: properties(fields) }));
    await this.#call("commit", { mode: "NON_TRANSACTIONAL", mutations: entities.map((upsert) => ({ upsert })) });
  }

  /** Returns the ids that a query finds. Ties are sorted by id in the given direction. */
  async ids(query: Query, kind: string, ties: "asc" | "desc"): Promise<string[]> {
    const orders = [...query.orders, { property: "__key__", direction: ties }];
    const filters = query.filters.map(({ property, op, value }) => ({
      propertyFilter: { property: { name: property }, op: operators[op], value: valueOf(value as Value) },
    }));
    const { batch } = (await this.#call("runQuery", {
      partitionId: { projectId: project },
      query: {
        kind: [{ name: kind }],
        order: orders.map(({ property, direction }) => ({
          property: { name: property },
          direction: direction === "asc" ? "ASCENDING" : "DESCENDING",
        })),
        ...(filters.length > 0 && { filter: { compositeFilter: { op: "AND", filters } } }),
      },
    })) as { batch: { entityResults?: { entity: { key: { path: { name: string }[] } } }[] } };
    return (batch.entityResults ?? []).map(({ entity }) => entity.key.path[0]?.name ?? "");
  }

  async #call(method: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.#base}/v1/projects/${project}:${method}`, {
      method: "POST",
      headers: { authorization: "Bearer owner", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the emulator responded with ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

const operators = {
  "==": "EQUAL",
  in: "IN",
  "<": "LESS_THAN",
  "<=": "LESS_THAN_OR_EQUAL",
  ">": "GREATER_THAN",
  ">=": "GREATER_THAN_OR_EQUAL",
} as const;

function key(kind: string, name: string): unknown {
  return { partitionId: { projectId: project }, path: [{ kind, name }] };
}

function properties(fields: Fields): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, valueOf(value as Value)]));
}

function valueOf(value: Value): unknown {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one: Value) => valueOf(one)) } };
  const scalar = value as Scalar;
  if (scalar === null) return { nullValue: null };
  if (scalar instanceof Date) return { timestampValue: scalar.toISOString() };
  if (typeof scalar === "bigint") return { integerValue: scalar.toString() };
  if (typeof scalar === "number") return { doubleValue: Number.isFinite(scalar) ? scalar : String(scalar) };
  return typeof scalar === "boolean" ? { booleanValue: scalar } : { stringValue: scalar };
}
