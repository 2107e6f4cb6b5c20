import { addYears } from "@hostledger/core";

import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { addGraceMs, mostYearsAhead } from "../../sandbox/sandbox-domains.ts";
import { namespaces } from "../namespaces.ts";
import { element } from "../xml.ts";
import type { Answer, CommandContext, ObjectCommand } from "./command.ts";
import { yearsIn } from "./domain-create.ts";
import { feeTaken } from "./fees.ts";
import { tellsExpiry } from "./labels.ts";
import { dnsName, required, textIn } from "./reading.ts";
import { ownDomain, refuseProhibited } from "./registered.ts";
import { EppRefusal } from "./result-codes.ts";

const { domain: ns } = namespaces;

/** Renews a domain from its expiry day (RFC 5731 §3.2.3). @throws EppRefusal 2105 for another day */
export function renewDomain(context: CommandContext, command: ObjectCommand): Answer {
  const { object } = command;
  const name = dnsName(required(object, "name"));
  const from = textIn(
    required(object, "curExpDate"),
    /^\d{4}-\d{2}-\d{2}(?:Z|[+-]\d{2}:\d{2})?$/,
    "a date",
  ).slice(0, 10);
  const years = yearsIn(object);
  const fees = feeTaken(command, name, { of: "renew", years });
  const domain = ownDomain(context, name);
  refuseProhibited(context, domain, "clientRenewProhibited");
  const day = domain.expiresAt.slice(0, 10);
  if (from !== day) throw new EppRefusal(2105, `${name} expires on ${day}.`);
  const expiresAt = addYears(domain.expiresAt, years);
  if (expiresAt > addYears(instantOf(context.atMs), mostYearsAhead))
    throw new EppRefusal(2105, `${name} may expire ten years from now at most.`);
  context.registry.putDomain({ ...domain, expiresAt });
  const exDate = tellsExpiry(name) ? element(ns, "exDate", expiresAt) : undefined;
  const renewed = [element(ns, "name", name), exDate];
  return { code: 1000, resData: element(ns, "renData", renewed), extension: fees };
}

/** Deletes a domain (RFC 5731 §3.2.2): at once in its first five days, later with a redemption period. @throws EppRefusal */
export function deleteDomain(context: CommandContext, { object }: ObjectCommand): Answer {
  const { registry, atMs } = context;
  const name = dnsName(required(object, "name"));
  const domain = ownDomain(context, name);
  refuseProhibited(context, domain, "clientDeleteProhibited");
  const [below] = registry.hostsBelow(name);
  if (below !== undefined) throw new EppRefusal(2305, `The host ${below} is below ${name}.`);
  if (Date.parse(domain.registeredAt) + addGraceMs > atMs) {
    registry.removeDomain(name);
    return { code: 1000 };
  }
  registry.putDomain({ ...domain, details: { ...domain.details, deletedAtMs: atMs } });
  return { code: 1001 };
}
