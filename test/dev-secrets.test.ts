import { expect, test } from "vitest";
import { launchDev, startDev, writeApplication } from "./support/dev-app.ts";

const files = {
  "mail/mail.ts": `
import { API, Secret } from "fw";
const mailKey = Secret("FW_TEST_MAIL_KEY");
export const payKey = Secret("FW_TEST_PAY_KEY");
const early = mailKey.value().length;
export const lengths = API("GET /", () => ({ early, mail: mailKey.value().length, pay: payKey.value().length }));
`,
};
const late = { "mail/mail.ts": files["mail/mail.ts"].replace("mailKey.value().length;\nexport", "0;\nexport") };
const sentence = (name: string): string =>
  `secret ${name} is not set (add it to the env file locally, or the secret store in the cloud)`;

test("a service refuses to start while a secret is unset, names all of them, and starts when .env is saved", async () => {
  await using dev = launchDev(writeApplication(late), []);
  await dev.says(`${sentence("FW_TEST_MAIL_KEY")}\n${sentence("FW_TEST_PAY_KEY")}`);
  const waitingPage = await dev.eventually("/", ({ status }) => status === 503, { accept: "text/html" });
  expect(waitingPage.body).toContain(sentence("FW_TEST_MAIL_KEY"));
  expect(waitingPage.body).toContain(sentence("FW_TEST_PAY_KEY"));
  dev.write({ ".env": "FW_TEST_MAIL_KEY=four\nFW_TEST_PAY_KEY=\n" });
  await dev.says(sentence("FW_TEST_PAY_KEY"), dev.output().length);
  dev.write({ ".env": "FW_TEST_MAIL_KEY=four\nFW_TEST_PAY_KEY=eleven-long\n" });
  await dev.eventually("/", ({ body }) => body === '{"early":0,"mail":4,"pay":11}');
  expect(dev.output()).not.toMatch(/four|eleven-long/);
});

test("a module may read a secret while it is loaded", async () => {
  await using dev = await startDev({ ...files, ".env": "FW_TEST_MAIL_KEY=four\nFW_TEST_PAY_KEY=five5\n" });
  expect((await dev.get("/")).body).toBe('{"early":4,"mail":4,"pay":5}');
});
