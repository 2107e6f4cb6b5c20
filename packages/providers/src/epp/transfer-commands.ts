import { objectCommand, type Command } from "./commands.ts";
import { password, period } from "./domain-commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childOf, element, XmlError } from "./xml.ts";

const { domain } = namespaces;

/** State of a transfer (RFC 5731 §3.1.3). */
export interface TransferData {
  /** `pending`, `clientApproved` and so on (RFC 5730 §2.9.3.4). */
  readonly status: string;
  /** Registrar that requested the transfer. */
  readonly gaining: string;
}

/** Requests a transfer. @param authInfo of the domain @param years absent for the registry's default */
export function requestTransfer(name: string, authInfo: string, years?: number): Command {
  const term = years === undefined ? undefined : period(years);
  const content = [element(domain, "name", name), term, password(authInfo)];
  return { content: objectCommand("transfer", domain, content, { op: "request" }), secrets: [authInfo] };
}

export function transferDomain(operation: "query" | "cancel", name: string): Command {
  return { content: objectCommand("transfer", domain, [element(domain, "name", name)], { op: operation }) };
}

/** Parses the answer of `transferDomain`. @throws XmlError */
export function readTransfer({ data }: Response): TransferData {
  const read = (name: string) => (data === undefined ? undefined : childOf(data, domain, name)?.text);
  const [status, gaining] = [read("trStatus"), read("reID")];
  if (status === undefined || gaining === undefined) throw new XmlError("The answer is about no transfer.");
  return { status, gaining };
}
