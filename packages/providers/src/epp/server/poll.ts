import { instantOf } from "../../sandbox/sandbox-clock.ts";
import type { RegistryMessage } from "../../sandbox/registry-contents.codec.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import type { Answer, CommandContext } from "./command.ts";
import { domainShown } from "./domain-questions.ts";
import { newsShown } from "./domain-transfer.ts";
import { EppRefusal } from "./result-codes.ts";

const { epp, domain } = namespaces;

/** Shows or removes the first poll message (RFC 5730 §2.9.2.3). @throws EppRefusal 2001, 2003, 2005, 2303 */
export function poll(context: CommandContext, { attributes: { op, msgID } }: XmlElement): Answer {
  if (op === "req") return first(context);
  if (op !== "ack") throw new EppRefusal(2001, "<poll> must req or ack.");
  if (msgID === undefined) throw new EppRefusal(2003, "<poll> lacks its msgID.");
  if (!/^\d{1,15}$/.test(msgID)) throw new EppRefusal(2005, "A msgID is a number here.");
  const { registry, registrar } = context;
  if (!registry.acknowledge(registrar, Number(msgID)))
    throw new EppRefusal(2303, `There is no message ${msgID}.`);
  return { code: 1000, messages: { count: registry.countMessages(registrar), id: msgID } };
}

function first(context: CommandContext): Answer {
  const { registry, registrar } = context;
  const queued = registry.firstMessage(registrar);
  if (queued === undefined) return { code: 1300 };
  const { id, count, queuedAtMs, message } = queued;
  const content = [element(epp, "qDate", instantOf(queuedAtMs)), element(epp, "msg", message.text)];
  const resData = subjectOf(context, message);
  return { code: 1301, messages: { count, id: String(id), content }, ...(resData && { resData }) };
}

function subjectOf(
  context: CommandContext,
  { transfer, pendingAction, changed }: RegistryMessage,
): XmlElement | undefined {
  if (transfer !== undefined) return newsShown(transfer);
  if (changed !== undefined) return domainShown(context, changed);
  if (pendingAction === undefined) return undefined;
  const { name, clientTransactionId, serverTransactionId, at } = pendingAction;
  return element(domain, "panData", [
    element(domain, "name", name, { paResult: "1" }),
    element(domain, "paTRID", [
      element(epp, "clTRID", clientTransactionId),
      element(epp, "svTRID", serverTransactionId),
    ]),
    element(domain, "paDate", at),
  ]);
}
