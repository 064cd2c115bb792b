import { initializeApp } from "@firebase/app";
import {
  GoogleAuthProvider,
  browserPopupRedirectResolver,
  getRedirectResult,
  inMemoryPersistence,
  initializeAuth,
  signInWithPopup,
  signInWithRedirect,
} from "@firebase/auth";

/** Marks this tab as redirected to the provider. */
const away = "fw-social";

/**
 * Prepares sign-in with the social provider, in a popup or, if the browser blocks it, by redirect. After a redirect,
 * the result is available unless the browser partitions storage between sites. The browser stores no credentials of the
 * provider, because the service has its own sessions.
 */
export function openProvider({ key, domain }) {
  const auth = initializeAuth(initializeApp({ apiKey: key, authDomain: domain }), {
    persistence: inMemoryPersistence,
    popupRedirectResolver: browserPopupRedirectResolver,
  });
  const wasAway = sessionStorage.getItem(away) !== null;
  sessionStorage.removeItem(away);
  return { signIn: () => signIn(auth), ...(wasAway && { comeBack: () => comeBack(auth) }) };
}

/** Resolves with the user's ID token; leaves the page if the popup is blocked. */
async function signIn(auth) {
  try {
    const { user } = await signInWithPopup(auth, new GoogleAuthProvider());
    return await user.getIdToken();
  } catch (error) {
    if (error.code !== "auth/popup-blocked") throw error;
    sessionStorage.setItem(away, "");
    return signInWithRedirect(auth, new GoogleAuthProvider());
  }
}

/** Resolves with the ID token of a user who has returned from the provider's page. */
async function comeBack(auth) {
  const result = await getRedirectResult(auth);
  if (result === null) throw Object.assign(new Error("no answer"), { code: "auth/popup-blocked" });
  return result.user.getIdToken();
}
