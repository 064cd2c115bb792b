// The query line of the requests: words, and comparisons such as status:5xx or ms>100.

const comparison = /^(status|ms|method|route|user|service|trace)(:|>=|<=|>|<)(.+)$/i;

/** Splits a query line at spaces outside of quotes. */
function termsOf(line) {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map(([term]) => term.replaceAll('"', ""));
}

/** Returns a predicate for request events; every term has to match. */
export function requestFilter(line) {
  const tests = termsOf(line).map(testOf);
  return (event) => tests.every((test) => test(event));
}

function testOf(term) {
  const [, name, operator, value] = comparison.exec(term) ?? [];
  if (name === undefined) return contains(term);
  const field = name.toLowerCase();
  if (field === "status" && operator === ":") return (event) => hasStatus(event.status, value);
  if (field === "status" || field === "ms") return compare(field, operator, Number(value.replace(/ms$/, "")));
  if (operator !== ":") return contains(term);
  const wanted = value.toLowerCase();
  if (field === "trace") return ({ trace, id }) => trace.startsWith(wanted) || id === wanted;
  return (event) => (event[field] ?? "").toLowerCase().includes(wanted);
}

/** True if `wanted` is the status, or a class that contains it, such as 5xx. */
function hasStatus(status, wanted) {
  return String(status).startsWith(wanted.toLowerCase().replace(/x+$/, ""));
}

function compare(field, operator, bound) {
  return (event) => {
    const value = event[field];
    if (operator === ":") return Math.round(value) === bound;
    if (operator.startsWith(">")) return value > bound || (operator === ">=" && value === bound);
    return value < bound || (operator === "<=" && value === bound);
  };
}

function contains(term) {
  const wanted = term.toLowerCase();
  return (event) => {
    // Leave out the time: rows show the time of day, and the digits of the milliseconds since 1970 would match by
    // chance.
    event.text ??= JSON.stringify(Object.values({ ...event, at: "" })).toLowerCase();
    return event.text.includes(wanted);
  };
}

/** True for a request that was answered with a file of a site: it matched no endpoint and did not fail. */
export function isStaticFile({ route, status }) {
  return route === "<unmatched>" && status < 400;
}
