import type { MessageInitShape } from "@bufbuild/protobuf";
import type { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin domain …`: customers' domains. */
export function addDomainCommands(group: Command, context: CommandContext): void {
  const domain = group.command("domain").description("customers' domains");
  addList(domain, context);
  addShow(domain, context);
  addTransfer(domain, context);
  addCatchUp(domain, context);
  addSuspension(domain, context);
  addUnsuspension(domain, context);
}

function addList(domain: Command, context: CommandContext): void {
  paged(
    domain
      .command("list")
      .description("list domains, by id")
      .option("--account <id>", "only this account's", parseId),
  ).action(async (options: PageOptions & { account?: bigint }, command: Command) => {
    const { account: accountId, after: afterId = 0n, limit } = options;
    await answerFromStaff(context, command, async ({ domains }) => {
      const page = { afterId, limit };
      const list = await domains.listAllDomains(accountId === undefined ? { page } : { page, accountId });
      return listing(list.domains.map(documentOf), [
        { heading: "id", cell: (row) => row.domain_id, align: "right" },
        { heading: "name", cell: (row) => row.domain_name },
        { heading: "account", cell: (row) => row.account_id, align: "right" },
        { heading: "status", cell: (row) => row.status },
        { heading: "expires", cell: (row) => row.expiry_date ?? "" },
      ]);
    });
  });
}

function addShow(domain: Command, context: CommandContext): void {
  domain
    .command("show")
    .description("show a domain")
    .argument("<domain>", "its id, or its name", parseText)
    .action(async (wanted: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const { domain: found } = await domains.showDomain({ domain: wanted });
        if (found === undefined) throw new Error("the instance answered without a domain");
        const document = documentOf(found);
        return {
          document,
          text: fields({
            domain: document.domain_id,
            name: document.domain_name,
            account: document.account_id,
            status: document.status,
            "suspended because": document.suspension_reason ?? "",
            resolves: !document.offline,
            expires: document.expiry_date ?? "",
            "renews automatically": document.auto_renew,
            nameservers: document.nameservers.join(" "),
            "DNS records": document.dns_records_count,
            registrar: document.provider,
          }),
        };
      });
    });
}

function addTransfer(domain: Command, context: CommandContext): void {
  domain
    .command("transfer")
    .description("let a domain go to another registrar: unlock it, mark it, and show its code; or end that")
    .argument("<domain>", "its id, or its name", parseText)
    .option("--stop", "it stays", false)
    .action(async (wanted: string, { stop }: { readonly stop: boolean }, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        if (!stop) {
          const { domainId, status, authCode } = await domains.releaseDomain({ domain: wanted });
          return {
            document: { domain_id: jsonInteger(domainId), status, auth_code: authCode },
            text: `${wanted} is ${status}. Its code for the other registrar: ${authCode}\n`,
          };
        }
        const { domain: found } = await domains.showDomain({ domain: wanted });
        if (found === undefined) throw new Error("the instance answered without a domain");
        const { domainId, status, repeated } = await domains.setDomainTransfer({
          domainId: found.id,
          transferring: false,
        });
        return changed(repeated, {
          document: { domain_id: jsonInteger(domainId), status },
          text: `${wanted} is ${status}. It is still unlocked: its customer locks it.\n`,
        });
      });
    });
}

function documentOf(domain: admin.StaffDomain) {
  return {
    domain_id: jsonInteger(domain.id),
    domain_name: domain.domainName,
    account_id: jsonInteger(domain.accountId),
    status: domain.status,
    provider: domain.provider,
    auto_renew: domain.autoRenew,
    use_rdp_nameservers: domain.usesServiceNameservers,
    nameservers: domain.nameservers,
    expiry_date: domain.expiryDate ?? null,
    dns_records_count: domain.dnsRecordsCount,
    created_at: domain.createdAt,
    suspension_reason: domain.suspensionReason ?? null,
    offline: domain.offline,
  };
}

function addCatchUp(domain: Command, context: CommandContext): void {
  domain
    .command("catch-up")
    .description("let an automatic renewal that is more than a year late catch up: a charge for each year")
    .argument("<domain>", "its id, or its name", parseText)
    .action(async (wanted: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const { domainId, expiryDate, repeated } = await domains.allowLateRenewal({ domain: wanted });
        return changed(repeated, {
          document: { domain_id: jsonInteger(domainId), expiry_date: expiryDate },
          text: `${wanted} is renewed from ${expiryDate.slice(0, 10)} on, as far as its customer's balance goes.\n`,
        });
      });
    });
}

function addSuspension(domain: Command, context: CommandContext): void {
  domain
    .command("suspend")
    .description("suspend a domain: it resolves no more, and can be renewed")
    .argument("<id>", "domain id", parseId)
    .option("--reason <text>", "why, in a line")
    .action((domainId: bigint, { reason }: { readonly reason?: string }, command: Command) =>
      setSuspension(context, command, { domainId, suspended: true, ...defined({ reason }) }),
    );
}

function addUnsuspension(domain: Command, context: CommandContext): void {
  domain
    .command("unsuspend")
    .description("lift the suspension of a domain: it resolves again")
    .argument("<id>", "domain id", parseId)
    .action((domainId: bigint, _options: object, command: Command) =>
      setSuspension(context, command, { domainId, suspended: false }),
    );
}

async function setSuspension(
  context: CommandContext,
  command: Command,
  wish: MessageInitShape<typeof admin.SetDomainSuspensionRequestSchema>,
): Promise<void> {
  await answerFromStaff(context, command, async ({ domains }) => {
    const { domainId, status, offline, repeated } = await domains.setDomainSuspension(wish);
    const isOpen = offline !== (wish.suspended === true);
    return changed(repeated, {
      document: { domain_id: jsonInteger(domainId), status, offline },
      text:
        `Domain ${String(domainId)} is ${status}.\n` +
        (isOpen ? `Its registrar or DNS server has not carried that out yet, and is asked again.\n` : ""),
    });
  });
}
