// Scripts send the page's token with every unsafe request; forms carry their own.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]')?.content;
  if (token) event.detail.headers["X-CSRF-Token"] = token;
});

// Listens in the capture phase, before htmx handles the form.
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

// "/" jumps to the search field, as on most sites with one.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  const search = document.getElementById("q");
  if (!search) return;
  event.preventDefault();
  search.focus();
});
