import { createHash } from "node:crypto";

import { sessionElements } from "../session-elements.ts";
import { namespaces } from "../namespaces.ts";
import type { ValueOf } from "../shapes.codec.ts";
import { buildXml, element, type XmlElement } from "../xml.ts";
import type { Answer } from "./command.ts";
import { resultMessages, type EppRefusal } from "./result-codes.ts";

const { epp, domain, contact, host, secDns, rgp, fee } = namespaces;

export const offered: Readonly<Record<"version" | "language", string>> &
  Readonly<Record<"objects" | "extensions", readonly string[]>> = {
  version: "1.0",
  language: "en",
  objects: [domain, contact, host],
  extensions: [secDns, rgp, fee],
};

/** Serialises the greeting (RFC 5730 §2.4). @param at ISO 8601 UTC. */
export function greetingXml(at: string): string {
  const part = (name: string, ...children: readonly string[]) =>
    element(
      epp,
      name,
      children.map((child) => element(epp, child)),
    );
  const statement = [
    part("purpose", "admin", "prov"),
    part("recipient", "ours", "public"),
    part("retention", "stated"),
  ];
  return enveloped(
    sessionElements.greeting.write({
      serverId: "Hostledger sandbox registry",
      at,
      menu: {
        versions: [offered.version],
        languages: [offered.language],
        objects: offered.objects,
        extensions: { uris: offered.extensions },
      },
      policy: [part("access", "all"), element(epp, "statement", statement)],
    }),
  );
}

export interface TransactionIds {
  readonly clientTransactionId: string | undefined;
  readonly serverTransactionId: string;
}

/** Serialises a response (RFC 5730 §2.6). */
export function responseXml(
  { code, resData, extension = [], messages }: Answer,
  ids: TransactionIds,
): string {
  return response(ids, {
    results: [{ code: String(code), message: resultMessages[code], reasons: [] }],
    queue: messages && { ...messages, count: String(messages.count) },
    data: resData && [resData],
    extensions: extension.length > 0 ? extension : undefined,
  });
}

/** Serialises a refusal with its reason for the client's developer. */
export function refusalXml({ code, message: reason }: EppRefusal, ids: TransactionIds): string {
  const reasons = [{ value: [element(epp, "undef")], reason }];
  return response(ids, { results: [{ code: String(code), message: resultMessages[code], reasons }] });
}

function response(
  { clientTransactionId: client, serverTransactionId: server }: TransactionIds,
  content: Omit<ValueOf<typeof sessionElements.response>, "ids">,
): string {
  return enveloped(sessionElements.response.write({ ...content, ids: { client, server } }));
}

function enveloped(content: XmlElement): string {
  return buildXml(element(epp, "epp", [content]));
}

/** Returns the registry's object identifier (`roidType`, RFC 5730 §4.2). */
export function roidOf(kind: "D" | "C" | "H", name: string): string {
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${kind}${digest.toUpperCase()}-SANDBOX`;
}
