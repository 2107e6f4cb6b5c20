import { namespaces } from "../namespaces.ts";
import { buildXml, element } from "../xml.ts";

const { epp, domain, contact, host, secDns, rgp, fee } = namespaces;

export const offeredObjects: readonly string[] = [domain, contact, host];

export const offeredExtensions: readonly string[] = [secDns, rgp, fee];

export const offeredVersion = "1.0";
export const offeredLanguage = "en";

/** Serialises the greeting (RFC 5730 §2.4). @param now ISO 8601 UTC. */
export function greetingXml(now: string): string {
  const empty = (...names: readonly string[]) => names.map((name) => element(epp, name));
  const menu = element(epp, "svcMenu", [
    element(epp, "version", offeredVersion),
    element(epp, "lang", offeredLanguage),
    ...offeredObjects.map((uri) => element(epp, "objURI", uri)),
    element(
      epp,
      "svcExtension",
      offeredExtensions.map((uri) => element(epp, "extURI", uri)),
    ),
  ]);
  const statement = element(epp, "statement", [
    element(epp, "purpose", empty("admin", "prov")),
    element(epp, "recipient", empty("ours", "public")),
    element(epp, "retention", empty("stated")),
  ]);
  const policy = element(epp, "dcp", [element(epp, "access", empty("all")), statement]);
  const greeting = element(epp, "greeting", [
    element(epp, "svID", "Hostledger sandbox registry"),
    element(epp, "svDate", now),
    menu,
    policy,
  ]);
  return buildXml(element(epp, "epp", [greeting]));
}
