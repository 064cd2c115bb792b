import type { Driver } from "../driver.ts";
import { restDriver } from "./rest-driver.ts";

/** An image in the project's repository. Its name says what is in it, so that it never changes. */
export const image: Driver = restDriver({
  stage: "make",
  api: "artifactregistry",
  read: async ({ id }, cloud) => ((await cloud.images.get(id)?.exists()) === false ? undefined : {}),
  create: async ({ id }, cloud) => {
    await cloud.images.get(id)?.push();
  },
  patch: async () => {},
  /** They are pushed before. */
  terraform: () => [],
});
