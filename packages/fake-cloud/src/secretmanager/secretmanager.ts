import { nameOf, shortName, param, query, type Api, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";
import { Resources } from "../resources.ts";

interface Version {
  readonly data: string;
  readonly created: number;
  state: "ENABLED" | "DISABLED";
}

interface Secret {
  readonly name: string;
  readonly settings: object;
  readonly versions: Version[];
}

const host = "secretmanager.googleapis.com";

/** Secret Manager: secrets and their versions. */
export class SecretManager {
  readonly api: Api;
  readonly #cloud: Cloud;
  readonly #secrets: Resources<Secret>;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.#secrets = new Resources<Secret>({
      methods: "secretmanager.projects.secrets",
      permissions: "secretmanager.secrets",
      on: (call) => this.#resource(nameOf(call)),
      in: onProject(cloud),
      policies: cloud,
      items: "secrets",
      name: (call) => this.#named(nameOf(call)),
      newName: (call) => {
        const id = query(call, "secretId") ?? "";
        if (!/^[\w-]{1,255}$/.test(id))
          throw invalid(`The provided Secret ID [${id}] does not match the expected format [[a-zA-Z_0-9]+]`);
        return this.#named(`${param(call, "parent")}/secrets/${id}`);
      },
      missing: (name) => new Refusal("NOT_FOUND", `Secret [${name}] not found or has no versions.`),
      exists: (name) => new Refusal("ALREADY_EXISTS", `Secret [${name}] already exists.`),
      make: ({ body }, name) => {
        if (!(body as { replication?: unknown }).replication) throw invalid("Field [replication] is required.");
        return { name, settings: body as object, versions: [] };
      },
      json: ({ name, settings }) => ({ ...settings, name }),
    });
    this.api = { host, methods: { ...this.#secrets.methods(), ...this.#versionMethods() } };
  }

  /** Adds a version to a secret, which is created if it does not exist. */
  set(id: string, value: string): void {
    const name = `projects/${this.#cloud.project.number}/secrets/${id}`;
    const secret = this.#secrets.get(name) ?? { name, settings: { replication: { automatic: {} } }, versions: [] };
    this.#secrets.set(name, secret);
    this.#add(secret, Buffer.from(value).toString("base64"));
  }

  /** Returns the value of a version; undefined if it does not exist or is not enabled. */
  value(id: string, version: string): string | undefined {
    const secret = this.#secrets.get(`projects/${this.#cloud.project.number}/secrets/${id}`);
    const found = version === "latest" ? secret?.versions.at(-1) : secret?.versions[Number(version) - 1];
    return found?.state === "ENABLED" ? Buffer.from(found.data, "base64").toString() : undefined;
  }

  #versionMethods(): Api["methods"] {
    const on = (call: Call): string => this.#resource(nameOf(call));
    const version: ResourceKind = {
      methods: "secretmanager.projects.secrets.versions",
      permissions: "secretmanager.versions",
      on,
    };
    return {
      "secretmanager.projects.secrets.addVersion": {
        needs: (call) => [{ permission: "secretmanager.versions.add", resource: on(call) }],
        run: (call) => {
          const { payload } = call.body as { payload?: { data?: string } };
          if (!payload?.data) throw invalid("Secret Payload cannot be empty.");
          const secret = this.#secrets.of(call);
          this.#add(secret, payload.data);
          return this.#versionJson(secret, secret.versions.length);
        },
      },
      ...methodsOf(version, {
        get: (call) => this.#versionJson(...this.#version(call)),
        access: (call) => {
          const [secret, number] = this.#version(call);
          const version = secret.versions[number - 1];
          if (version?.state !== "ENABLED") {
            throw new Refusal(
              "FAILED_PRECONDITION",
              `Secret Version [${secret.name}/versions/${number}] is in DISABLED state.`,
            );
          }
          return { name: `${secret.name}/versions/${number}`, payload: { data: version.data } };
        },
        disable: (call) => this.#setState(call, "DISABLED"),
        enable: (call) => this.#setState(call, "ENABLED"),
      }),
    };
  }

  #setState(call: Call, state: Version["state"]): unknown {
    const [secret, number] = this.#version(call);
    const version = secret.versions[number - 1];
    if (version) version.state = state;
    return this.#versionJson(secret, number);
  }

  #add(secret: Secret, data: string): void {
    secret.versions.push({ data, created: this.#cloud.clock.now(), state: "ENABLED" });
  }

  /** Returns a call's secret and version number; `latest` is the newest version. */
  #version(call: Call): [Secret, number] {
    const secret = this.#secrets.of(call);
    const which = shortName(nameOf(call));
    const number = which === "latest" ? secret.versions.length : Number(which);
    if (!secret.versions[number - 1])
      throw new Refusal("NOT_FOUND", `Secret Version [${secret.name}/versions/${which}] not found.`);
    return [secret, number];
  }

  #versionJson(secret: Secret, number: number): unknown {
    const { state, created } = secret.versions[number - 1] ?? {};
    return { name: `${secret.name}/versions/${number}`, state, createTime: this.#cloud.clock.timestamp(created) };
  }

  /** Returns the name of a secret, with the project's number even if the request contains the project's id. */
  #named(name: string): string {
    return name.replace(/^projects\/[^/]+/, `projects/${this.#cloud.project.number}`).replace(/\/versions\/.*$/, "");
  }

  /** Returns the resource of a secret in grants, which contains the project's id. */
  #resource(name: string): string {
    return `//${host}/${name.replace(/^projects\/[^/]+/, `projects/${this.#cloud.project.id}`)}`;
  }
}
