/**
 * The browser script for signing in with Identity Platform. It sends the password only to Identity Platform and posts
 * the resulting ID token to this service. It inserts strings as text, never as HTML.
 */
export const providerScript = `
const root = document.getElementById("provider");
const { api, key } = root.dataset;
const failure = document.getElementById("failure");
const notice = document.getElementById("notice");
const fields = document.getElementById("password");
const finish = document.getElementById("finish");

/** Messages by Identity Platform's error code. Codes that would reveal whether an account exists share one message. */
const wrong = "that email and password do not match an account";
const sentences = {
  INVALID_LOGIN_CREDENTIALS: wrong,
  EMAIL_NOT_FOUND: wrong,
  INVALID_EMAIL: wrong,
  INVALID_PASSWORD: wrong,
  USER_DISABLED: wrong,
  TOO_MANY_ATTEMPTS_TRY_LATER: "too many attempts: wait some minutes, or reset the password",
  "auth/popup-blocked": "the browser blocked the sign-in window: allow pop-ups for this site and try again",
  "auth/network-request-failed": "the sign-in provider cannot be reached: try again",
  "auth/user-disabled": "this account cannot sign in",
};
/** Codes for a window that the user closed or replaced, which is not an error. */
const canceled = ["auth/popup-closed-by-user", "auth/cancelled-popup-request", "auth/user-cancelled"];

class SignInError extends Error {}

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
    throw new SignInError("the sign-in provider cannot be reached: try again");
  }
  const result = await answer.json().catch(() => ({}));
  if (answer.ok) return result;
  const code = /^[A-Z_]*/.exec(String(result.error?.message ?? ""))[0];
  throw new SignInError(sentences[code] ?? "the sign-in provider refused: " + (code || answer.status), { cause: code });
}

/** Disables the form while one attempt is in progress. */
async function attempt(work) {
  show(failure, "");
  show(notice, "");
  root.disabled = true;
  try {
    await work();
  } catch (error) {
    if (canceled.includes(error.code)) return;
    show(failure, error instanceof SignInError ? error.message : (sentences[error.code] ?? "signing in failed: try again"));
  } finally {
    root.disabled = false;
  }
}

function show(element, text) {
  element.textContent = text;
  element.hidden = text === "";
}

/** Never resolves, so the form stays disabled until the browser leaves the page. */
function post(idToken) {
  finish.elements.idToken.value = idToken;
  finish.submit();
  return new Promise(() => {});
}

async function byPassword(email, password) {
  const { idToken } = await ask("signInWithPassword", { email, password, returnSecureToken: true });
  if (!idToken) throw new SignInError("this account needs a second factor, which this page does not support");
  const { users: [user] = [] } = await ask("lookup", { idToken });
  if (user?.emailVerified) return post(idToken);
  offerVerification(idToken);
}

/** An unverified address can sign in: the application decides what it may access. */
function offerVerification(idToken) {
  fields.hidden = true;
  const step = document.getElementById("unverified");
  step.hidden = false;
  const [mail, proceed] = step.querySelectorAll("button");
  mail.onclick = () =>
    attempt(async () => {
      await ask("sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
      mail.disabled = true;
      show(notice, "we sent you an email with a link");
    });
  proceed.onclick = () => attempt(() => post(idToken));
  proceed.focus();
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
      show(notice, "if that address has an account, we sent it an email with a link");
    });
  };
}

const social = document.getElementById("social");
if (social !== null) {
  // Browsers block a pop-up that does not open directly on the click, so the library loads before it.
  const loading = import(root.dataset.library).then(({ openProvider }) => openProvider(root.dataset));
  const missing = () => show(failure, "the sign-in provider's library cannot be loaded: reload the page");
  social.onclick = () => attempt(async () => post(await (await loading).signIn()));
  loading.then(({ comeBack }) => comeBack && attempt(async () => post(await comeBack())), missing);
}

root.disabled = false;
`;
