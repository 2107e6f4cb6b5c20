import type { HandlerContext } from "@connectrpc/connect";
import { defined } from "@hostledger/runtime";

/** Headers that tell the operation. */
const aboutOperation = ["x-request-id", "hostledger-operation-id", "hostledger-correlation-id"];

/** Under which header callers show who they are: staff, and our own parts. */
const credentials = { staff: "authorization", part: "hostledger-caller" } as const;

/** A call on behalf of whoever called: under the same credential, until the same moment. */
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
