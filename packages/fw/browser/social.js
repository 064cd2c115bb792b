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

/** Says, in this tab, that it was led to the provider. */
const away = "fw-social";

/**
 * Makes ready what signs in with the social provider: in a window of the provider, and where the browser blocks that, by way of the
 * provider's page. Who comes back from there has an answer unless the browser keeps sites apart. Nothing of it is kept in the browser; the
 * session is the service's.
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

/** The ID token of who signs in; the page is left where the window is blocked. */
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

/** The ID token of who has come back from the provider's page. */
async function comeBack(auth) {
  const result = await getRedirectResult(auth);
  if (result === null) throw Object.assign(new Error("no answer"), { code: "auth/popup-blocked" });
  return result.user.getIdToken();
}
