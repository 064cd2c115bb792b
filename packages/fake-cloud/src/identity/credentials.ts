import { nameOf, shortName, type Api, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { accountResource } from "../iam/resources.ts";
import { methodsOf, type ResourceKind } from "../methods.ts";

/**
 * Creates the Service Account Credentials API, which signs data and issues access tokens for accounts without a key
 * file.
 */
export function credentials(cloud: Cloud): Api {
  const kind: ResourceKind = {
    methods: "iamcredentials.projects.serviceAccounts",
    permissions: "iam.serviceAccounts",
    on: (call) => accountResource(cloud, emailOf(call)),
  };
  return {
    host: "iamcredentials.googleapis.com",
    methods: methodsOf(kind, {
      signBlob: async (call) => {
        const { payload } = call.body as { payload?: string };
        if (!payload) throw invalid("payload is required");
        const { keyId, signature } = await cloud.tokens.keysOf(emailOf(call)).signature(Buffer.from(payload, "base64"));
        return { keyId, signedBlob: signature.toString("base64") };
      },
      generateAccessToken: {
        permission: "getAccessToken",
        run: (call) => {
          const { token, seconds } = cloud.tokens.access(emailOf(call));
          return { accessToken: token, expireTime: cloud.clock.timestamp(cloud.clock.now() + seconds * 1000) };
        },
      },
    }),
  };
}

/** Returns the email address of the account in a call's path. */
export function emailOf(call: Call): string {
  return shortName(nameOf(call));
}
