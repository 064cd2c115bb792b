import { expect, test } from "vitest";
import { apply } from "../apply.ts";
import { placeholders } from "../placeholders.ts";
import { planOf } from "../plan.ts";
import type { Resource } from "../resource.ts";
import { testProject } from "../testing/project.ts";

const resource: Resource = {
  kind: "sign-in",
  id: "projects/demo-fw/config",
  spec: {
    authorizedDomains: ["shop-test-web-123456789012.europe-west1.run.app", "shop.example.com"],
    signIn: { email: { enabled: true, passwordRequired: true } },
  },
  deps: [],
  owns: "part",
  title: "sign-in",
};

test("the identity project is initialised, with the email provider and the domains of sign-in, and those of others are left", async () => {
  const project = await testProject();
  const cloud = project.open();
  await apply(await planOf([resource], cloud), { cloud, now: project.clock.now });
  expect(cloud.values.get(placeholders.authDomain)).toBe("demo-fw.firebaseapp.com");
  const config = await cloud.find({ api: "identitytoolkit", method: "GET", path: "/v2/projects/demo-fw/config" });
  expect(config).toMatchObject({
    signIn: { email: { enabled: true, passwordRequired: true } },
    authorizedDomains: [
      "localhost",
      "demo-fw.firebaseapp.com",
      "demo-fw.web.app",
      "shop-test-web-123456789012.europe-west1.run.app",
      "shop.example.com",
    ],
  });
  expect((await planOf([resource], project.open())).steps).toMatchObject([{ op: "noop" }]);
});
