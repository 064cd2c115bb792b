import { newTestApp } from "fw/testing";
import { expect, test } from "vitest";
import { members, room } from "./room.ts";

test("who is in a room hears what is said there, and nobody else does", async () => {
  await using app = await newTestApp();
  const ada = await app.socket(room, { id: "builds" }, { as: app.signIn({ email: "ada@example.com", name: "Ada" }) });
  const bo = await app.socket(room, { id: "builds" }, { as: app.signIn({ email: "bo@example.com" }) });
  const cy = await app.socket(room, { id: "other" }, { as: app.signIn({ email: "cy@example.com" }) });
  await ada.send({ text: "it is red" });
  const heard = await bo.receive();
  expect(heard).toMatchObject({ from: "Ada", text: "it is red" });
  expect(heard.at).toBeInstanceOf(Date);
  const list = () => members.call(app.ctx(app.signIn({ email: "cy@example.com" })), { id: "builds" });
  expect(await list()).toEqual(["Ada", "bo@example.com"]);
  await bo.close();
  await expect.poll(list).toEqual(["Ada"]);
  await cy.send({ text: "alone" });
  expect((await cy.receive()).text).toBe("alone");
  await ada.send({ text: "is it?" });
  expect([(await ada.receive()).text, (await ada.receive()).text]).toEqual(["it is red", "is it?"]);
});

test("a room is for who is signed in, and for messages that say something", async () => {
  await using app = await newTestApp();
  await expect(app.socket(room, { id: "builds" })).rejects.toMatchObject({ status: 401 });
  const ada = await app.socket(room, { id: "builds" }, { as: app.signIn({ email: "ada@example.com" }) });
  await ada.send({ text: "" });
  expect(await ada.closed).toEqual({ code: 1007, reason: "message text: must be at least 1 character" });
});
