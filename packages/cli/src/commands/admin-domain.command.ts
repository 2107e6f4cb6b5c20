import { admin } from "@hostledger/protocol";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf, type ShownFields } from "../output/message-document.ts";
import { changed } from "../output/reply.ts";
import { argument, fixed, flag, option, page } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const { listAllDomains, showDomain, allowLateRenewal, setDomainSuspension } = admin.DomainAdminService.method;
const domainId = argument("<id>", "domain id", parseId);
const domain = argument("<domain>", "its id, or its name", parseText);

const domains = viewOf(
  admin.StaffDomainSchema,
  {
    id: "id",
    name: "domainName",
    account: "accountId",
    status: "status",
    expires: "expiryDate",
  },
  { id: "domain_id", usesServiceNameservers: "use_rdp_nameservers" },
);

const shownOfDomain: ShownFields<admin.StaffDomain> = {
  domain: "id",
  name: "domainName",
  account: "accountId",
  status: "status",
  "suspended because": "suspensionReason",
  resolves: ({ offline }) => !offline,
  expires: "expiryDate",
  "renews automatically": "autoRenew",
  nameservers: ({ nameservers }) => nameservers.join(" "),
  "DNS records": "dnsRecordsCount",
  registrar: "provider",
};

export const addDomainCommands = noun("domain", "customers' domains", [
  call(["list", "list domains, by id"], listAllDomains, {
    inputs: { accountId: option("--account <id>", "only of this account", parseId), page },
    answer: (list) => domains.list(list.domains),
  }),
  call(["show", "show a domain"], showDomain, {
    inputs: { domain },
    answer: (found) => domains.one(shownOfDomain, found.domain),
  }),
  custom(
    [
      "transfer",
      "release a domain to another registrar: unlock it and show its code; --stop ends the transfer",
    ],
    { domain, stop: flag("--stop", "end the transfer; the domain stays") },
    async (staff, { domain: wanted, stop }) => {
      if (!stop) {
        const { domainId: id, status, authCode } = await staff.domains.releaseDomain({ domain: wanted });
        return {
          document: { domain_id: jsonInteger(id), status, auth_code: authCode },
          text: `${wanted} is ${status}. Its code for the other registrar: ${authCode}\n`,
        };
      }
      const found = await staff.domains.showDomain({ domain: wanted });
      if (found.domain === undefined) throw new Error("the instance answered without a domain");
      const asked = { domainId: found.domain.id, transferring: false };
      const { domainId: id, status, repeated } = await staff.domains.setDomainTransfer(asked);
      return changed(repeated, {
        document: { domain_id: jsonInteger(id), status },
        text: `${wanted} is ${status}. It is still unlocked: its customer can lock it.\n`,
      });
    },
  ),
  call(
    ["catch-up", "renew a domain that is more than a year late, with a charge for each year"],
    allowLateRenewal,
    {
      inputs: { domain },
      text: ({ expiryDate }, { domain: wanted = "" }) =>
        `${wanted} is renewed from ${expiryDate.slice(0, 10)} on, as far as its customer's balance goes.\n`,
    },
  ),
  call(["suspend", "suspend a domain: it no longer resolves, but can be renewed"], setDomainSuspension, {
    inputs: { domainId, suspended: fixed(true), reason: option("--reason <text>", "why, in a line") },
    text: suspensionText,
  }),
  call(["unsuspend", "lift the suspension of a domain: it resolves again"], setDomainSuspension, {
    inputs: { domainId, suspended: fixed(false) },
    text: suspensionText,
  }),
]);

function suspensionText(
  { domainId: id, status, offline }: admin.SetDomainSuspensionResponse,
  { suspended = false }: { readonly suspended?: boolean },
): string {
  const isOpen = offline !== suspended;
  return (
    `Domain ${String(id)} is ${status}.\n` +
    (isOpen ? "Its registrar or DNS server has not carried that out yet, and is asked again.\n" : "")
  );
}
