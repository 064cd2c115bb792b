import { act, sure } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { declared } from "../parts/live.js";

/** Accounts and their sessions. */
export function people() {
  const found = h("div", {});
  async function load(after) {
    const { accounts, next } = await ask("accounts", { after: typeof after === "string" ? after : "" });
    const row = ({ id, email, name, claims, disabled, emailVerified, created, sessions }) =>
      tr(
        td("text", email, name && h("div", { class: "muted" }, name)),
        td("text", (claims.roles ?? []).join(", ")),
        td(
          "tight",
          disabled
            ? h("span", { class: "bad" }, "disabled")
            : emailVerified
              ? "verified"
              : h("span", { class: "warn" }, "not verified"),
        ),
        td("tight", dateTime(created)),
        td(
          "tight",
          sessions.map(({ provider, began }) => h("div", {}, `${provider}, since ${dateTime(began)}`)),
        ),
        td(
          "tight",
          sessions.length > 0 &&
            h(
              "button",
              {
                class: "danger",
                onclick: act(
                  async () => (
                    sure(`Sign ${email} out everywhere?`),
                    await ask("accounts/sign-out", { id }),
                    await load()
                  ),
                  "Signed out.",
                ),
              },
              "Sign out",
            ),
        ),
      );
    found.replaceChildren(
      accounts.length === 0
        ? none("There is no account yet.")
        : table("Accounts", ["Account", "Roles", "State", "Created", "Sessions", ""], accounts.map(row)),
    );
    if (next) found.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
  }
  const auth = declared("auth");
  if (auth.length === 0)
    return { nodes: [h("h1", {}, "People"), none("The application declares no Auth: nobody signs in.")] };
  return {
    nodes: [
      h("h1", {}, "People"),
      h("p", { class: "muted" }, `Sign-in by ${auth.flatMap(({ providers }) => providers).join(" and ")}.`),
      found,
    ],
    load,
  };
}
