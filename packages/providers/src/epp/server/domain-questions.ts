import { behaviourOf } from "../../sandbox/labels.ts";
import { addGraceMs, isRedeemable } from "../../sandbox/sandbox-domains.ts";
import type { RegistryDomain } from "../../sandbox/sandbox-registry.ts";
import { elsewhere } from "../../sandbox/sandbox-transfers.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { roidOf } from "./answering.ts";
import type { Answer, CommandContext, ObjectCommand } from "./command.ts";
import { delegationShown } from "./delegation.ts";
import { feesAsked } from "./fees.ts";
import { tellsExpiry } from "./labels.ts";
import { all, atMost, authInfoIn, dnsName, optional, required } from "./reading.ts";
import { domainIfThere, expiryOf, statusesOf } from "./registered.ts";
import { EppRefusal } from "./result-codes.ts";
import { dsDataShown } from "./sec-dns.ts";

const { domain: ns, rgp } = namespaces;
const mostNames = 100;

/** Answers which names are available, and their fees (RFC 5731 §3.1.1, RFC 8748). @throws EppRefusal */
export function checkDomains(context: CommandContext, command: ObjectCommand): Answer {
  const asked = atMost(all(command.object, "name"), mostNames, "names").map(dnsName);
  if (asked.length === 0) throw new EppRefusal(2003, "<check> lacks <name>.");
  const names = asked.map((name) => ({ name, available: isAvailable(context, name) }));
  const answers = names.map(({ name, available }) =>
    element(ns, "cd", [
      element(ns, "name", name, { avail: available ? "1" : "0" }),
      available ? undefined : element(ns, "reason", "In use"),
    ]),
  );
  return {
    code: 1000,
    resData: element(ns, "chkData", answers),
    extension: feesAsked(command, asked),
  };
}

/** Returns true if nobody holds the name, in the sandbox and by its simulated label. */
export function isAvailable({ registry }: CommandContext, name: string): boolean {
  return behaviourOf(name).available && registry.domain(name) === undefined;
}

/** Shows a domain: all to its registrar or with authInfo, else only its registrar (RFC 5731 §3.1.2). @throws EppRefusal */
export function showDomain(context: CommandContext, { object }: ObjectCommand): Answer {
  const asked = required(object, "name");
  const name = dnsName(asked);
  context.registry.askedAbout(name);
  const domain = domainIfThere(context, name);
  if (domain === undefined) {
    if (behaviourOf(name).elsewhere === null) throw new EppRefusal(2303, `Nobody holds ${name}.`);
    return { code: 1000, resData: element(ns, "infData", heldBy(name, elsewhere)) };
  }
  const knowsCode = optional(object, "authInfo") !== undefined;
  if (knowsCode && authInfoIn(object) !== context.registry.authInfoOf(domain))
    throw new EppRefusal(2202, `The code of ${name} is another one.`);
  if (domain.sponsor !== context.registrar && !knowsCode)
    return { code: 1000, resData: element(ns, "infData", heldBy(name, domain.sponsor)) };
  return {
    code: 1000,
    resData: element(ns, "infData", wholeOf(context, domain, asked.attributes.hosts)),
    extension: [...dsDataShown(domain.details.dsData), ...graceShown(domain, context.atMs)],
  };
}

/** Returns a domain for a message to its registrar; only its name if deleted. */
export function domainShown(context: CommandContext, name: string): XmlElement {
  const held = context.registry.domain(name);
  return element(ns, "infData", held === undefined ? [element(ns, "name", name)] : wholeOf(context, held));
}

function heldBy(name: string, registrar: string): readonly XmlElement[] {
  return [element(ns, "name", name), element(ns, "roid", roidOf("D", name)), element(ns, "clID", registrar)];
}

/** @param hosts hosts to show: delegated (`del`), below the domain (`sub`), or `all`; other values show none. */
function wholeOf(
  context: CommandContext,
  domain: RegistryDomain,
  hosts = "all",
): readonly (XmlElement | undefined)[] {
  const { name, details, nameservers, sponsor, registeredAt } = domain;
  const { registrant, hostAttributes, updater, updatedAt, transferredAt } = details;
  const authInfo = context.registry.authInfoOf(domain);
  const isOwn = sponsor === context.registrar;
  return [
    element(ns, "name", name),
    element(ns, "roid", roidOf("D", name)),
    ...statusesOf(context, domain).map((s) => element(ns, "status", [], { s })),
    optionally("registrant", registrant),
    ...details.contacts.map(({ type, id }) => element(ns, "contact", id, { type })),
    ["all", "del"].includes(hosts)
      ? delegationShown({ nameservers, ...(hostAttributes && { attributes: hostAttributes }) })
      : undefined,
    ...(["all", "sub"].includes(hosts) ? context.registry.hostsBelow(name) : []).map((host) =>
      element(ns, "host", host),
    ),
    element(ns, "clID", sponsor),
    element(ns, "crID", details.creator),
    element(ns, "crDate", registeredAt),
    optionally("upID", updater),
    optionally("upDate", updatedAt),
    tellsExpiry(name) ? element(ns, "exDate", expiryOf(domain, context.atMs)) : undefined,
    optionally("trDate", transferredAt),
    isOwn && authInfo !== null ? element(ns, "authInfo", [element(ns, "pw", authInfo)]) : undefined,
  ];
}

function optionally(name: string, text: string | undefined): XmlElement | undefined {
  return text === undefined ? undefined : element(ns, name, text);
}

function graceShown({ details: { deletedAtMs }, registeredAt }: RegistryDomain, atMs: number): XmlElement[] {
  const status = graceOf(deletedAtMs, Date.parse(registeredAt) + addGraceMs > atMs, atMs);
  if (status === undefined) return [];
  return [element(rgp, "infData", [element(rgp, "rgpStatus", [], { s: status })])];
}

function graceOf(deletedAtMs: number | undefined, isNew: boolean, atMs: number): string | undefined {
  if (deletedAtMs === undefined) return isNew ? "addPeriod" : undefined;
  return isRedeemable(deletedAtMs, atMs) ? "redemptionPeriod" : "pendingDelete";
}
