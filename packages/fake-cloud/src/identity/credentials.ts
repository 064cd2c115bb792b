import { param, type Api, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { accountResource } from "../iam/resources.ts";

/** Service Account Credentials: what a service account signs without a key file. */
export function credentials(cloud: Cloud): Api {
  const needs = (permission: string) => (call: Call) => [
    { permission, resource: accountResource(cloud, emailOf(call)) },
  ];
  return {
    host: "iamcredentials.googleapis.com",
    methods: {
      "iamcredentials.projects.serviceAccounts.signBlob": {
        needs: needs("iam.serviceAccounts.signBlob"),
        run: async (call) => {
          const { payload } = call.body as { payload?: string };
          if (!payload) throw invalid("payload is required");
          const { keyId, signature } = await cloud.tokens
            .keysOf(emailOf(call))
            .signature(Buffer.from(payload, "base64"));
          return { keyId, signedBlob: signature.toString("base64") };
        },
      },
      "iamcredentials.projects.serviceAccounts.generateIdToken": {
        needs: needs("iam.serviceAccounts.getOpenIdToken"),
        run: async (call) => {
          const { audience } = call.body as { audience?: string };
          if (!audience) throw invalid("audience is required");
          return { token: await cloud.tokens.id(emailOf(call), audience) };
        },
      },
      "iamcredentials.projects.serviceAccounts.generateAccessToken": {
        needs: needs("iam.serviceAccounts.getAccessToken"),
        run: (call) => {
          const { token, seconds } = cloud.tokens.access(emailOf(call));
          return { accessToken: token, expireTime: cloud.clock.timestamp(cloud.clock.now() + seconds * 1000) };
        },
      },
    },
  };
}

/** The account of a path as it is written with `-` for its project. */
function emailOf(call: Call): string {
  return param(call, "name").split("/").at(-1) ?? "";
}
