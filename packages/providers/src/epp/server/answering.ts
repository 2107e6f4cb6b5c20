import { createHash } from "node:crypto";

import { namespaces } from "../namespaces.ts";
import { buildXml, element, type XmlElement } from "../xml.ts";
import type { Answer } from "./command.ts";
import { resultMessages, type EppRefusal } from "./result-codes.ts";

const { epp } = namespaces;

export interface TransactionIds {
  readonly clientTransactionId: string | undefined;
  readonly serverTransactionId: string;
}

/** Serialises a response, in the order of RFC 5730 §2.6. */
export function responseXml({ code, resData, extension, messages }: Answer, ids: TransactionIds): string {
  return response(
    [
      element(epp, "result", [element(epp, "msg", resultMessages[code])], { code: String(code) }),
      messages &&
        element(epp, "msgQ", messages.content ?? [], { count: String(messages.count), id: messages.id }),
      resData && element(epp, "resData", [resData]),
      extension && extension.length > 0 ? element(epp, "extension", extension) : undefined,
    ],
    ids,
  );
}

/** Serialises a refusal with its reason for the client's developer. */
export function refusalXml({ code, message }: EppRefusal, ids: TransactionIds): string {
  const extValue = element(epp, "extValue", [
    element(epp, "value", [element(epp, "undef")]),
    element(epp, "reason", message),
  ]);
  const result = [element(epp, "msg", resultMessages[code]), extValue];
  return response([element(epp, "result", result, { code: String(code) })], ids);
}

function response(parts: readonly (XmlElement | undefined)[], ids: TransactionIds): string {
  const { clientTransactionId, serverTransactionId } = ids;
  const transaction = element(epp, "trID", [
    clientTransactionId === undefined ? undefined : element(epp, "clTRID", clientTransactionId),
    element(epp, "svTRID", serverTransactionId),
  ]);
  return buildXml(element(epp, "epp", [element(epp, "response", [...parts, transaction])]));
}

/** Returns the registry's object identifier (`roidType`, RFC 5730 §4.2). */
export function roidOf(kind: "D" | "C" | "H", name: string): string {
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${kind}${digest.toUpperCase()}-SANDBOX`;
}
