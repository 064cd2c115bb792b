import type { Check } from "./problem.ts";

/** Checks that the social provider is enabled, which Google allows only people to do, in its console. */
export const checkSocial: Check = async ({ social }, cloud) => {
  const { project } = cloud.place;
  if (!social) return [];
  const path = `/v2/projects/${project}/defaultSupportedIdpConfigs/google.com`;
  const live = await cloud.find({ api: "identitytoolkit", method: "GET", path });
  if (live?.["enabled"] === true) return [];
  const todo = [
    `1. open https://console.cloud.google.com/customer-identity/providers?project=${project} (enable Identity Platform if it asks)`,
    `2. add the provider Google; create its client at https://console.cloud.google.com/apis/credentials?project=${project},`,
    `   with the redirect URI https://${project}.firebaseapp.com/__/auth/handler`,
    "3. deploy again; at a terminal, this deploy continues by itself",
  ];
  return [
    {
      what: `the application declares the social provider, but it is not enabled in ${project}`,
      todo,
      manual: true,
    },
  ];
};
