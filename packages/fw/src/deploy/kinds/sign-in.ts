import type { Driver } from "../driver.ts";
import { fieldsOf, isFields, listOf, textOf, type Fields, type Value } from "../fields.ts";
import { placeholders } from "../placeholders.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { restDriver } from "./rest-driver.ts";

/** The Identity Platform configuration, shared by a project's applications. Fields set by others stay unchanged. */
export const signIn: Driver = restDriver({
  stage: "ground",
  api: "identitytoolkit",
  read: async ({ id }, cloud) => {
    const live = await cloud.find({ api: "identitytoolkit", method: "GET", path: `/v2/${id}` });
    const { apiKey, firebaseSubdomain } = fieldsOf(live?.["client"]);
    if (textOf(apiKey) !== "") cloud.values.set(placeholders.apiKey, textOf(apiKey));
    if (textOf(firebaseSubdomain) !== "")
      cloud.values.set(placeholders.authDomain, `${textOf(firebaseSubdomain)}.firebaseapp.com`);
    return live;
  },
  create: async (resource, cloud) => {
    const path = `/v2/${resource.id.replace(/\/config$/, "")}/identityPlatform:initializeAuth`;
    await cloud.call({ api: "identitytoolkit", method: "POST", path, body: {} });
    let live: Fields = {};
    await cloud.until("Identity Platform", async () => {
      const read = await signIn.read(resource, cloud);
      live = read ?? {};
      return read !== undefined;
    });
    await signIn.patch(resource, cloud, { live, changes: [] });
  },
  patch: async ({ id, spec }, cloud, { live }) => {
    const { signIn: signInSpec, authorizedDomains } = spec;
    const domains = [...new Set([...listOf(live["authorizedDomains"]), ...listOf(authorizedDomains)])];
    const email = isFields(signInSpec) ? ["signIn.email.enabled", "signIn.email.passwordRequired"] : [];
    const query = { updateMask: ["authorizedDomains", ...email].join(",") };
    const body = { authorizedDomains: domains, ...(isFields(signInSpec) && { signIn: signInSpec }) };
    await cloud.call({ api: "identitytoolkit", method: "PATCH", path: `/v2/${id}`, query, body });
  },
  normalize: (live, { spec }) => ({
    ...live,
    authorizedDomains: intersect(listOf(spec["authorizedDomains"]), listOf(live["authorizedDomains"])),
  }),
  terraform: ({ spec }, { project }) => {
    const own = ["localhost", `${project}.firebaseapp.com`, `${project}.web.app`];
    const authorizedDomains = [...own, ...listOf(spec["authorizedDomains"])];
    return [
      {
        type: "google_identity_platform_config",
        body: bodyOf({ ...spec, authorizedDomains }),
        placeholders: {
          [placeholders.apiKey]: (address) => `${clientAt(address)}.api_key`,
          [placeholders.authDomain]: (address) => `"\${${clientAt(address)}.firebase_subdomain}.firebaseapp.com"`,
        },
      },
    ];
  },
  notes: (step) =>
    step === "create"
      ? { costs: "monthly active accounts are billed", forGood: "Identity Platform cannot be disabled again" }
      : {},
});

function intersect(desired: readonly Value[], live: readonly Value[]): readonly Value[] {
  return desired.filter((domain) => live.includes(domain));
}

/** Returns the Terraform expression for the project's web client. */
function clientAt(address: string): string {
  return `${address}.client[0]`;
}
