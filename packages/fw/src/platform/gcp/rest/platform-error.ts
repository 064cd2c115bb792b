import { isA } from "../../../lib/thrown.ts";
import { PlatformError } from "../../errors.ts";
import { CloudError } from "./cloud-error.ts";

/** Wraps a port to convert Google's errors to platform errors that callers can act on; other errors pass through. */
export function withPlatformErrors<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, args);
        return answer instanceof Promise
          ? answer.catch((error: unknown) => Promise.reject(toPlatformError(error) as Error))
          : answer;
      };
    },
  });
}

function toPlatformError(error: unknown): unknown {
  if (!isA(error, CloudError)) return error;
  const { code, status, message } = error;
  if (code === "PERMISSION_DENIED" || code === "UNAUTHENTICATED") return new PlatformError("denied", message);
  if (code === "RESOURCE_EXHAUSTED") return new PlatformError("busy", message);
  return status === 0 || status >= 500 ? new PlatformError("unreachable", message) : error;
}
