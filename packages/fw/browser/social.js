import { initializeApp } from "@firebase/app";
import {
  GoogleAuthProvider,
  browserPopupRedirectResolver,
  inMemoryPersistence,
  initializeAuth,
  signInWithPopup,
} from "@firebase/auth";

/**
 * Makes ready what signs in with the social provider: in a window of the provider, since a page that redirects there and back loses its
 * way where browsers keep sites apart. Nothing is kept in the browser; the session is the service's.
 */
export function openProvider({ key, domain }) {
  const auth = initializeAuth(initializeApp({ apiKey: key, authDomain: domain }), {
    persistence: inMemoryPersistence,
    popupRedirectResolver: browserPopupRedirectResolver,
  });
  return async () => {
    const { user } = await signInWithPopup(auth, new GoogleAuthProvider());
    return user.getIdToken();
  };
}
