import { Subscribe, transaction } from "fw";
import { auth } from "./auth.ts";
import { mails } from "./mail.ts";
import { authorOf, newNote, notes } from "./note.ts";

const text = `This note is private: only you see it, until you share it or untick *Only for me*.

Write **markdown**, attach files, and find both by the search. #welcome`;

/** Creates a first note for every new user. */
export const welcomeNote = Subscribe(auth.firstSignIn, async (ctx, user) => {
  const slug = `welcome-${user.id.toLowerCase()}`;
  const author = authorOf(user);
  await transaction(ctx, async (tx) => {
    if (await notes.find(tx, slug)) return; // the event was delivered twice
    await notes.create(tx, newNote(tx, slug, author, { title: `Welcome, ${author.name}`, body: text, private: true }));
  });
});

export const welcomeMail = Subscribe(auth.registered, async (ctx, { email }) => {
  await mails.send(ctx, { to: email, subject: "Welcome to Notes", text: "There is an account for you: /_fw/signin" });
});
