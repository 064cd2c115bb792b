import { isA } from "../../../lib/thrown.ts";
import { PlatformError } from "../../errors.ts";
import { CloudError } from "./cloud-error.ts";

/** The port with errors of Google told as the platform's, which callers may act on; what Google refuses for another reason stays as it is. */
export function toldByPlatform<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, given);
        return answer instanceof Promise
          ? answer.catch((error: unknown) => Promise.reject(told(error) as Error))
          : answer;
      };
    },
  });
}

function told(error: unknown): unknown {
  if (!isA(error, CloudError)) return error;
  const { code, status, message } = error;
  if (code === "PERMISSION_DENIED" || code === "UNAUTHENTICATED") return new PlatformError("denied", message);
  if (code === "RESOURCE_EXHAUSTED") return new PlatformError("busy", message);
  return status === 0 || status >= 500 ? new PlatformError("unreachable", message) : error;
}
