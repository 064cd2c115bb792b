import { matchEncoded } from "fw/runtime";
export function match(method, path, params) {
  return path.includes("%") ? matchEncoded(plain, method, path, params) : plain(method, path, params);
}
function plain(method, path, params) {
  if (path.charCodeAt(0) !== 47) return -1;
  switch (method) {
    case "GET": return n0(path, params, 1);
    case "POST": return n2(path, params, 1);
    default: return -1;
  }
}
function n0(path, params, s) {
  const e = path.indexOf("/", s);
  if (e === -1) {
    const t = path.slice(s);
    if (t === "orders") { return 0; }
    return -1;
  }
  const t = path.slice(s, e);
  if (t === "orders") { const r = n1(path, params, e + 1); if (r !== -1) return r; }
  return -1;
}
function n1(path, params, s) {
  const e = path.indexOf("/", s);
  if (e === -1) {
    if (s < path.length) { params.push(path.slice(s)); return 2; }
    return -1;
  }
  return -1;
}
function n2(path, params, s) {
  const e = path.indexOf("/", s);
  if (e === -1) {
    const t = path.slice(s);
    if (t === "orders") { return 1; }
    return -1;
  }
  const t = path.slice(s, e);
  if (t === "orders") { const r = n3(path, params, e + 1); if (r !== -1) return r; }
  return -1;
}
function n3(path, params, s) {
  const e = path.indexOf("/", s);
  if (e === -1) {
    return -1;
  }
  if (e > s) return n4(path, params, e + 1, s, e);
  return -1;
}
function n4(path, params, s, s0, e0) {
  const e = path.indexOf("/", s);
  if (e === -1) {
    const t = path.slice(s);
    if (t === "pay") { params.push(path.slice(s0, e0)); return 3; }
    return -1;
  }
  return -1;
}
