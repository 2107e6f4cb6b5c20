import type { HandlerContext } from "@connectrpc/connect";
import { defined } from "@hostledger/runtime";

/** Headers of a staff call that go on with it: the credential, and what tells the operation. */
const passedOn = ["authorization", "x-request-id", "hostledger-operation-id", "hostledger-correlation-id"];

/** A call on behalf of whoever called: under the same credential, until the same moment. */
export function callOptions({ requestHeader, signal, timeoutMs }: HandlerContext) {
  const headers = new Headers();
  for (const name of passedOn) {
    const value = requestHeader.get(name);
    if (value !== null) headers.set(name, value);
  }
  const limitMs = timeoutMs();
  return { headers, signal, ...defined({ timeoutMs: limitMs }) };
}
