// Adds the page's token to unsafe requests made by scripts; forms contain their own.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]')?.content;
  if (token) event.detail.headers["X-CSRF-Token"] = token;
});

// Runs in the capture phase, before htmx handles the form.
document.addEventListener(
  "submit",
  (event) => {
    const question = event.target.dataset?.confirm;
    if (!question || confirm(question)) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// "/" focuses the search field, as on many sites.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  const search = document.getElementById("q");
  if (!search) return;
  event.preventDefault();
  search.focus();
});
