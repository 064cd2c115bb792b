import { param, query, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";

interface Config {
  readonly signIn?: { readonly email?: object };
  readonly authorizedDomains?: readonly string[];
}

/** The sign-in configuration of the project. */
export class SignInConfiguration {
  /** True if someone has enabled the social provider in the console. */
  social = false;
  readonly methods: Api["methods"];
  #config: Config | undefined;

  constructor(cloud: Cloud) {
    const { id, number } = cloud.project;
    const needs = (permission: string) => () => [{ permission, resource: projectResource(cloud) }];
    const json = (): unknown => {
      if (!this.#config) throw new Refusal("NOT_FOUND", "CONFIGURATION_NOT_FOUND");
      const name = `projects/${number}/config`;
      return {
        name,
        subtype: "IDENTITY_PLATFORM",
        client: { apiKey: cloud.apiKey, firebaseSubdomain: id },
        ...this.#config,
      };
    };
    this.methods = {
      "identitytoolkit.projects.identityPlatform.initializeAuth": {
        needs: needs("firebaseauth.configs.create"),
        run: () => {
          if (this.#config) throw invalid("Identity Platform has already been enabled for this project.");
          this.#config = { authorizedDomains: ["localhost", `${id}.firebaseapp.com`, `${id}.web.app`] };
        },
      },
      "identitytoolkit.projects.getConfig": { needs: needs("firebaseauth.configs.get"), run: json },
      "identitytoolkit.projects.updateConfig": {
        needs: needs("firebaseauth.configs.update"),
        run: (call) => {
          json();
          const change = call.body as Config;
          for (const path of (query(call, "updateMask") ?? "").split(",")) {
            if (path === "authorizedDomains")
              this.#config = { ...this.#config, authorizedDomains: change.authorizedDomains ?? [] };
            else if (path.startsWith("signIn.email"))
              this.#config = { ...this.#config, signIn: { email: change.signIn?.email ?? {} } };
            else throw invalid(`INVALID_UPDATE_MASK : ${path}`);
          }
          return json();
        },
      },
      "identitytoolkit.projects.defaultSupportedIdpConfigs.get": {
        needs: needs("firebaseauth.configs.get"),
        run: (call) => {
          if (!this.social) throw new Refusal("NOT_FOUND", "CONFIGURATION_NOT_FOUND");
          return { name: param(call, "name"), enabled: true, clientId: "client.apps.googleusercontent.com" };
        },
      },
    };
  }
}
