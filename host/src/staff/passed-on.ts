import type { HandlerContext } from "@connectrpc/connect";
import { defined } from "@hostledger/runtime";

/** Headers that identify the operation. */
const aboutOperation = ["x-request-id", "hostledger-operation-id", "hostledger-correlation-id"];

/** Headers with the credentials of staff and of our own parts. */
const credentials = { staff: "authorization", part: "hostledger-caller" } as const;

/** Returns call options that pass on the caller's credential and deadline. */
export function callOptions(
  { requestHeader, signal, timeoutMs }: HandlerContext,
  caller: keyof typeof credentials = "staff",
) {
  const headers = new Headers();
  for (const name of [credentials[caller], ...aboutOperation]) {
    const value = requestHeader.get(name);
    if (value !== null) headers.set(name, value);
  }
  const limitMs = timeoutMs();
  return { headers, signal, ...defined({ timeoutMs: limitMs }) };
}
