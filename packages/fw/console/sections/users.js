import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { declared } from "../parts/live.js";

/** The section with accounts and their sessions. */
export function users() {
  const results = h("div", {});
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
                    confirmAction(`Sign out ${email} everywhere?`),
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
    results.replaceChildren(
      accounts.length === 0
        ? none("No accounts yet.")
        : table("Accounts", ["Account", "Roles", "State", "Created", "Sessions", ""], accounts.map(row)),
    );
    if (next) results.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
  }
  const auth = declared("auth");
  if (auth.length === 0)
    return { nodes: [h("h1", {}, "Users"), none("The application declares no Auth, so users cannot sign in.")] };
  return {
    nodes: [
      h("h1", {}, "Users"),
      h("p", { class: "muted" }, `Sign-in with ${auth.flatMap(({ providers }) => providers).join(" and ")}.`),
      results,
    ],
    load,
  };
}
