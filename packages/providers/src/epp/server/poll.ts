import { instantOf } from "../../sandbox/sandbox-clock.ts";
import type { RegistryMessage } from "../../sandbox/registry-contents.codec.ts";
import { domainElements } from "../domain-elements.ts";
import { sessionElements } from "../session-elements.ts";
import type { XmlElement } from "../xml.ts";
import type { Answer, CommandContext } from "./command.ts";
import { domainShown } from "./domains.ts";
import { EppRefusal } from "./result-codes.ts";

/** Shows or removes the first poll message (RFC 5730 §2.9.2.3). @throws EppRefusal 2001, 2003, 2005, 2303 */
export function poll(context: CommandContext, element: XmlElement): Answer {
  const { operation, messageId } = sessionElements.poll.read(element);
  if (operation === "req") return first(context);
  if (operation !== "ack") throw new EppRefusal(2001, "<poll> must req or ack.");
  if (messageId === undefined) throw new EppRefusal(2003, "<poll> lacks its msgID.");
  if (!/^\d{1,15}$/.test(messageId)) throw new EppRefusal(2005, "A msgID is a number here.");
  const { registry, registrar } = context;
  if (!registry.acknowledge(registrar, Number(messageId)))
    throw new EppRefusal(2303, `There is no message ${messageId}.`);
  return { code: 1000, messages: { count: registry.countMessages(registrar), id: messageId } };
}

function first(context: CommandContext): Answer {
  const { registry, registrar } = context;
  const queued = registry.firstMessage(registrar);
  if (queued === undefined) return { code: 1300 };
  const { id, count, queuedAtMs, message } = queued;
  const messages = { count, id: String(id), queuedAt: instantOf(queuedAtMs), text: message.text };
  return { code: 1301, messages, resData: subjectOf(context, message) };
}

function subjectOf(
  context: CommandContext,
  { transfer, pendingAction, changed }: RegistryMessage,
): XmlElement | undefined {
  if (transfer !== undefined) return domainElements.trnData.write(transfer);
  if (changed !== undefined) return domainShown(context, changed);
  if (pendingAction === undefined) return undefined;
  const { name, clientTransactionId, serverTransactionId, at } = pendingAction;
  return domainElements.panData.write({
    subject: { name, result: "1" },
    ids: { client: clientTransactionId, server: serverTransactionId },
    at,
  });
}
