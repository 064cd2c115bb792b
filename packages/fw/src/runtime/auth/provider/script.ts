/**
 * The browser's half of signing in at Identity Platform: a password goes there and nowhere else, and what comes of it is posted to this
 * service. Text only ever goes in as text.
 */
export const providerScript = `
const root = document.getElementById("provider");
const { api, key } = root.dataset;
const failure = document.getElementById("failure");
const notice = document.getElementById("notice");
const fields = document.getElementById("password");
const finish = document.getElementById("finish");

/** Sentences by what Identity Platform answers. What would tell an account from none is one. */
const wrong = "that email and password do not match an account";
const sentences = {
  INVALID_LOGIN_CREDENTIALS: wrong,
  EMAIL_NOT_FOUND: wrong,
  INVALID_EMAIL: wrong,
  INVALID_PASSWORD: wrong,
  USER_DISABLED: wrong,
  TOO_MANY_ATTEMPTS_TRY_LATER: "too many tries; wait some minutes, or reset the password",
  "auth/popup-blocked": "the browser has blocked the provider's window; allow it and try again",
  "auth/network-request-failed": "the sign-in provider cannot be reached; try again",
  "auth/user-disabled": "this account cannot sign in",
};
/** Who closes the provider's window, or opens another one, has changed their mind. */
const changedMind = ["auth/popup-closed-by-user", "auth/cancelled-popup-request", "auth/user-cancelled"];

class Refused extends Error {}

async function ask(method, body) {
  let answer;
  try {
    answer = await fetch(api + "/v1/accounts:" + method + "?key=" + encodeURIComponent(key), {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refused("the sign-in provider cannot be reached; try again");
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  const code = /^[A-Z_]*/.exec(String(said.error?.message ?? ""))[0];
  throw new Refused(sentences[code] ?? "the sign-in provider refused: " + (code || answer.status), { cause: code });
}

/** One thing at a time: nothing can be pressed while it is under way. */
async function attempt(work) {
  show(failure, "");
  show(notice, "");
  root.disabled = true;
  try {
    await work();
  } catch (error) {
    if (changedMind.includes(error.code)) return;
    show(failure, error instanceof Refused ? error.message : (sentences[error.code] ?? "signing in failed; try again"));
  } finally {
    root.disabled = false;
  }
}

function show(place, text) {
  place.textContent = text;
  place.hidden = text === "";
}

/** The page goes on to where the sign-in leads, so that nothing on it can be pressed any more. */
function post(idToken) {
  finish.elements.idToken.value = idToken;
  finish.submit();
  return new Promise(() => {});
}

async function byPassword(email, password) {
  const { idToken } = await ask("signInWithPassword", { email, password, returnSecureToken: true });
  if (!idToken) throw new Refused("this account asks for a second factor, which this page does not have");
  const { users: [user] = [] } = await ask("lookup", { idToken });
  if (user?.emailVerified) return post(idToken);
  offerVerification(idToken);
}

/** An address that nobody has verified signs in all the same: what it opens is for the application to say. */
function offerVerification(idToken) {
  fields.hidden = true;
  const step = document.getElementById("unverified");
  step.hidden = false;
  const [mail, goOn] = step.querySelectorAll("button");
  mail.onclick = () =>
    attempt(async () => {
      await ask("sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
      mail.disabled = true;
      show(notice, "a mail with a link is on its way to you");
    });
  goOn.onclick = () => attempt(() => post(idToken));
  goOn.focus();
}

if (fields !== null) {
  const email = document.getElementById("email");
  const password = document.getElementById("secret");
  fields.onsubmit = (event) => {
    event.preventDefault();
    void attempt(() => byPassword(email.value, password.value));
  };
  document.getElementById("reset").onclick = () => {
    if (!email.reportValidity()) return;
    void attempt(async () => {
      try {
        await ask("sendOobCode", { requestType: "PASSWORD_RESET", email: email.value });
      } catch (error) {
        if (error.cause !== "EMAIL_NOT_FOUND") throw error;
      }
      show(notice, "if that address has an account, a mail with a link is on its way");
    });
  };
}

const social = document.getElementById("social");
if (social !== null) {
  // A popup that opens later than the press is blocked, so the library is there before.
  const loading = import(root.dataset.library).then(({ openProvider }) => openProvider(root.dataset));
  const missing = () => show(failure, "the sign-in provider's library cannot be loaded; reload the page");
  social.onclick = () => attempt(async () => post(await (await loading).signIn()));
  loading.then(({ comeBack }) => comeBack && attempt(async () => post(await comeBack())), missing);
}

root.disabled = false;
`;
