import type { Check } from "./problem.ts";

/** Whether the social provider is switched on: Google lets only people do that, on a page of its console. */
export const checkSocial: Check = async ({ social }, cloud) => {
  const { project } = cloud.place;
  if (!social) return [];
  const path = `/v2/projects/${project}/defaultSupportedIdpConfigs/google.com`;
  const live = await cloud.find({ api: "identitytoolkit", method: "GET", path });
  if (live?.["enabled"] === true) return [];
  const todo = [
    `1. open https://console.cloud.google.com/customer-identity/providers?project=${project} (where it asks, enable Identity Platform)`,
    `2. add the provider Google: its client is made at https://console.cloud.google.com/apis/credentials?project=${project},`,
    `   with the redirect URI https://${project}.firebaseapp.com/__/auth/handler`,
    "3. deploy again; at a terminal this deploy goes on by itself",
  ];
  return [
    {
      what: `this application has the social provider declared, which is not switched on in ${project}`,
      todo,
      manual: true,
    },
  ];
};
