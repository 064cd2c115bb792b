import { act, confirmAction } from "../parts/act.js";
import { ask, can } from "../parts/ask.js";
import { field, h, keyed, labelledTable, none, renew, td, tr, undeclared } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { latestOnly } from "../parts/latest.js";
import { declared } from "../parts/live.js";

/** Creates the section with accounts and their sessions. */
export function users() {
  const auth = declared("auth");
  if (auth.length === 0) return { nodes: [h("h1", {}, "Users"), undeclared("Auth")] };
  const results = h("div", {});
  const email = h("input", { type: "search", placeholder: "all accounts" });

  const begin = latestOnly();

  async function load(after) {
    const isLatest = begin();
    const address = email.value.trim();
    const { accounts, next } = await ask("accounts", { after: typeof after === "string" ? after : "", email: address });
    if (!isLatest()) return;
    renew(
      results,
      accounts.length === 0
        ? none(address === "" ? "No accounts yet." : `No account has the address ${address}.`)
        : labelledTable(
            "Accounts",
            ["Account", "Roles", "Sessions", ""],
            accounts.map((account) => accountRow(account, load)),
          ),
    );
    if (next) results.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
  }

  return {
    nodes: [
      h("h1", {}, "Users"),
      h("p", { class: "muted" }, `Sign-in with ${auth.flatMap(({ providers }) => providers).join(" and ")}.`),
      h(
        "form",
        { class: "tools", onsubmit: act(() => load()) },
        field("Find by email address", email),
        h("button", {}, "Find"),
      ),
      ...(can("accounts/create") ? [newAccount(load)] : []),
      results,
    ],
    load,
  };
}

/** Creates the form for a new account. */
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

function accountRow(account, reload) {
  const { email, name, claims, created, sessions } = account;
  const granted = claims.roles ?? [];
  const row = tr(
    td(
      "text",
      email,
      name && h("div", { class: "muted" }, name),
      h("div", {}, stateOf(account), ", created ", h("span", { class: "whole" }, dateTime(created))),
    ),
    td("text", can("accounts/change") ? roleBoxes(granted, account, reload) : granted.join(", ")),
    h(
      "td",
      {},
      sessions.map(({ provider, began }) =>
        h("div", {}, `${provider}, since `, h("span", { class: "whole" }, dateTime(began))),
      ),
    ),
    h("span", { class: "row" }, buttonsOf(account, reload)),
  );
  return keyed(account.id, row);
}

/** Returns the handler that changes an account, after the user has confirmed the sentence if there is one. */
function change({ id }, values, reload, sentence) {
  return act(async () => {
    if (sentence) confirmAction(sentence);
    await ask("accounts/change", { id, ...values });
    await reload();
  }, "Changed.");
}

/** Creates the buttons for what the page may do with an account. */
function buttonsOf(account, reload) {
  const { id, email, disabled, sessions } = account;
  const signIn = act(async () => {
    await ask("accounts/sign-in", { id });
    open("/", "_blank", "noopener");
    await reload();
  }, `Signed in as ${email}.`);
  const signOut = act(async () => {
    confirmAction(`Sign out ${email} everywhere?`);
    await ask("accounts/sign-out", { id });
    await reload();
  }, "Signed out.");
  const danger = (text, onclick) => h("button", { class: "danger", onclick }, text);
  return [
    // Disabled instead of removed, so that no other button moves under the pointer.
    can("accounts/sign-in") && h("button", { onclick: signIn, disabled }, "Sign in as"),
    can("accounts/change") && [
      disabled
        ? h("button", { onclick: change(account, { change: "enable" }, reload) }, "Enable")
        : danger("Disable", change(account, { change: "disable" }, reload, `Disable ${email}?`)),
      danger("Delete", change(account, { change: "delete" }, reload, `Delete the account of ${email}?`)),
    ],
    can("accounts/sign-out") && sessions.length > 0 && danger("Sign out", signOut),
  ];
}

/** Creates a checkbox for each declared role. Granted roles that are no longer declared are only listed. */
function roleBoxes(granted, account, reload) {
  const names = declared("roles").map(({ name }) => name);
  const boxes = names.map((role) => {
    const isGranted = granted.includes(role);
    const toggle = change(account, { change: isGranted ? "revoke" : "grant", role }, reload);
    const box = h("input", {
      type: "checkbox",
      checked: isGranted,
      onchange: toggle,
      ariaLabel: `${role} for ${account.email}`,
    });
    return h("label", { class: "check" }, box, role);
  });
  return [boxes, granted.filter((role) => !names.includes(role)).join(", ")];
}

function stateOf({ disabled, emailVerified }) {
  if (disabled) return h("span", { class: "bad" }, "disabled");
  return emailVerified ? "verified" : h("span", { class: "warn" }, "not verified");
}
