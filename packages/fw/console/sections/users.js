import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { field, h, none, stacked, table, td, tr } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { declared } from "../parts/live.js";

/** The section with accounts and their sessions. */
export function users() {
  const auth = declared("auth");
  if (auth.length === 0)
    return { nodes: [h("h1", {}, "Users"), none("The application declares no Auth, so users cannot sign in.")] };
  const results = h("div", {});

  async function load(after) {
    const { accounts, next } = await ask("accounts", { after: typeof after === "string" ? after : "" });
    results.replaceChildren(
      accounts.length === 0
        ? none("No accounts yet.")
        : stacked(
            table(
              "Accounts",
              ["Account", "Roles", "State", "Created", "Sessions", ""],
              accounts.map((account) => accountRow(account, load)),
            ),
          ),
    );
    if (next) results.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
  }

  return {
    nodes: [
      h("h1", {}, "Users"),
      h("p", { class: "muted" }, `Sign-in with ${auth.flatMap(({ providers }) => providers).join(" and ")}.`),
      newAccount(load),
      results,
    ],
    load,
  };
}

/** The form for a new account. */
function newAccount(reload) {
  const email = h("input", { type: "email", required: true, autocomplete: "off" });
  const name = h("input", { autocomplete: "off" });
  const password = h("input", { type: "password", autocomplete: "new-password" });
  const role = h(
    "select",
    {},
    h("option", { value: "" }, "none"),
    declared("roles").map((each) => h("option", {}, each.name)),
  );
  const create = act(async () => {
    const values = { email: email.value, name: name.value, password: password.value, role: role.value };
    await ask("accounts/create", values);
    for (const input of [email, name, password]) input.value = "";
    await reload();
  }, "Created.");
  return h(
    "details",
    {},
    h("summary", {}, "New account"),
    h(
      "form",
      { class: "tools", onsubmit: (event) => (event.preventDefault(), create(event)) },
      field("Email address", email),
      field("Name", name),
      field("Password", password),
      field("Role", role),
      h("button", { class: "primary" }, "Create"),
    ),
  );
}

function accountRow({ id, email, name, claims, disabled, emailVerified, created, sessions }, reload) {
  const change = (values, sentence) =>
    act(async () => {
      if (sentence) confirmAction(sentence);
      await ask("accounts/change", { id, ...values });
      await reload();
    }, "Changed.");
  const signIn = act(async () => {
    await ask("accounts/sign-in", { id });
    open("/", "_blank", "noopener");
    await reload();
  }, `Signed in as ${email}.`);
  return tr(
    td("text", email, name && h("div", { class: "muted" }, name)),
    td("text", rolesOf(claims.roles ?? [], email, change)),
    td("tight", stateOf({ disabled, emailVerified })),
    td("", dateTime(created)),
    td(
      "",
      sessions.map(({ provider, began }) => h("div", {}, `${provider}, since ${dateTime(began)}`)),
    ),
    td(
      "",
      h(
        "span",
        { class: "row" },
        !disabled && h("button", { onclick: signIn }, "Sign in as"),
        disabled
          ? h("button", { onclick: change({ change: "enable" }) }, "Enable")
          : h("button", { class: "danger", onclick: change({ change: "disable" }, `Disable ${email}?`) }, "Disable"),
        h(
          "button",
          { class: "danger", onclick: change({ change: "delete" }, `Delete the account of ${email}?`) },
          "Delete",
        ),
        sessions.length > 0 &&
          h(
            "button",
            { class: "danger", onclick: change({ change: "sign-out" }, `Sign out ${email} everywhere?`) },
            "Sign out",
          ),
      ),
    ),
  );
}

/** A box for each declared role; a role that is no longer declared is only named. */
function rolesOf(granted, email, change) {
  const names = declared("roles").map(({ name }) => name);
  const boxes = names.map((role) => {
    const isGranted = granted.includes(role);
    const toggle = change({ change: isGranted ? "revoke" : "grant", role });
    const box = h("input", {
      type: "checkbox",
      checked: isGranted,
      onchange: toggle,
      ariaLabel: `${role} for ${email}`,
    });
    return h("label", { class: "check" }, box, role);
  });
  return [boxes, granted.filter((role) => !names.includes(role)).join(", ")];
}

function stateOf({ disabled, emailVerified }) {
  if (disabled) return h("span", { class: "bad" }, "disabled");
  return emailVerified ? "verified" : h("span", { class: "warn" }, "not verified");
}
