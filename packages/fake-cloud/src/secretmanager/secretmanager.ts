import { param, query, type Api, type Call, type Method, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { policyMethods } from "../iam/methods.ts";
import { projectResource } from "../iam/resources.ts";
import { inPages } from "../pages.ts";

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
  readonly #secrets = new Map<string, Secret>();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.api = { host, methods: this.#methods() };
  }

  /** A secret with one more version, as somebody has put it there. */
  set(id: string, value: string): void {
    const name = `projects/${this.#cloud.project.number}/secrets/${id}`;
    const secret = this.#secrets.get(name) ?? { name, settings: { replication: { automatic: {} } }, versions: [] };
    this.#secrets.set(name, secret);
    this.#add(secret, Buffer.from(value).toString("base64"));
  }

  /** What a version of a secret holds, where it may be used. */
  value(id: string, version: string): string | undefined {
    const secret = this.#secrets.get(`projects/${this.#cloud.project.number}/secrets/${id}`);
    const found = version === "latest" ? secret?.versions.at(-1) : secret?.versions[Number(version) - 1];
    return found?.state === "ENABLED" ? Buffer.from(found.data, "base64").toString() : undefined;
  }

  #methods(): Record<string, Method> {
    return {
      "secretmanager.projects.secrets.create": {
        needs: () => [{ permission: "secretmanager.secrets.create", resource: projectResource(this.#cloud) }],
        run: (call) => {
          const id = query(call, "secretId") ?? "";
          if (!/^[\w-]{1,255}$/.test(id))
            throw invalid(`The provided Secret ID [${id}] does not match the expected format [[a-zA-Z_0-9]+]`);
          const name = this.#named(`${param(call, "parent")}/secrets/${id}`);
          if (this.#secrets.has(name)) throw new Refusal("ALREADY_EXISTS", `Secret [${name}] already exists.`);
          const settings = call.body as { replication?: unknown };
          if (!settings.replication) throw invalid("Field [replication] is required.");
          const secret = { name, settings, versions: [] };
          this.#secrets.set(name, secret);
          return json(secret);
        },
      },
      "secretmanager.projects.secrets.get": {
        needs: this.#on("secretmanager.secrets.get"),
        run: (call) => json(this.#secret(param(call, "name"))),
      },
      "secretmanager.projects.secrets.list": {
        needs: () => [{ permission: "secretmanager.secrets.list", resource: projectResource(this.#cloud) }],
        run: (call) =>
          inPages(
            call,
            "secrets",
            [...this.#secrets.values()].map((secret) => json(secret)),
          ),
      },
      "secretmanager.projects.secrets.addVersion": {
        needs: (call) => [
          { permission: "secretmanager.versions.add", resource: this.#resource(param(call, "parent")) },
        ],
        run: (call) => {
          const { payload } = call.body as { payload?: { data?: string } };
          if (!payload?.data) throw invalid("Secret Payload cannot be empty.");
          const secret = this.#secret(param(call, "parent"));
          this.#add(secret, payload.data);
          return this.#versionJson(secret, secret.versions.length);
        },
      },
      "secretmanager.projects.secrets.versions.get": {
        needs: this.#on("secretmanager.versions.get"),
        run: (call) => this.#versionJson(...this.#version(call)),
      },
      "secretmanager.projects.secrets.versions.access": {
        needs: this.#on("secretmanager.versions.access"),
        run: (call) => {
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
      },
      "secretmanager.projects.secrets.versions.disable": {
        needs: this.#on("secretmanager.versions.disable"),
        run: (call) => this.#setState(call, "DISABLED"),
      },
      "secretmanager.projects.secrets.versions.enable": {
        needs: this.#on("secretmanager.versions.enable"),
        run: (call) => this.#setState(call, "ENABLED"),
      },
      ...policyMethods(this.#cloud, {
        method: "secretmanager.projects.secrets",
        permission: "secretmanager.secrets",
        resource: (call) => this.#resource(param(call, "resource")),
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

  #secret(name: string): Secret {
    const secret = this.#secrets.get(this.#named(name));
    if (!secret) throw new Refusal("NOT_FOUND", `Secret [${this.#named(name)}] not found or has no versions.`);
    return secret;
  }

  /** A version by its number, or the latest one. */
  #version(call: Call): [Secret, number] {
    const [secretName = "", which = ""] = param(call, "name").split("/versions/");
    const secret = this.#secret(secretName);
    const number = which === "latest" ? secret.versions.length : Number(which);
    if (!secret.versions[number - 1])
      throw new Refusal("NOT_FOUND", `Secret Version [${secret.name}/versions/${which}] not found.`);
    return [secret, number];
  }

  #versionJson(secret: Secret, number: number): unknown {
    const { state, created } = secret.versions[number - 1] ?? {};
    return { name: `${secret.name}/versions/${number}`, state, createTime: this.#cloud.clock.timestamp(created) };
  }

  #on(permission: string): (call: Call) => Needed[] {
    return (call) => [{ permission, resource: this.#resource(param(call, "name")) }];
  }

  /** Names have the project's number, whichever of both was given. */
  #named(name: string): string {
    return name.replace(/^projects\/[^/]+/, `projects/${this.#cloud.project.number}`).replace(/\/versions\/.*$/, "");
  }

  /** Grants name it with the project's id. */
  #resource(name: string): string {
    return `//${host}/${name.replace(/^projects\/[^/]+/, `projects/${this.#cloud.project.id}`)}`;
  }
}

function json({ name, settings }: Secret): unknown {
  return { ...settings, name };
}
