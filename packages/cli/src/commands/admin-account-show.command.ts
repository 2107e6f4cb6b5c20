import { formatEuros } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";
import type { Command } from "commander";
import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger, type JsonValue } from "../output/json.ts";
import type { Answer } from "../output/reply.ts";
import { fields, table, type Column } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { quotaColumns, quotaRow } from "./admin-quota.command.ts";

/** Of each kind of thing so many are shown; the commands of the kinds list the others. */
const shownOfEach = 10;

/** `admin account show`: a customer at a glance. */
export function addAccountShowCommand(account: Command, context: CommandContext): void {
  account
    .command("show")
    .description("show an account at a glance: balance, resources, runs, tickets, quotas, last facts")
    .argument("<id>", "account id", parseId)
    .action(async (accountId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, (staff) => glanceAt(staff, accountId));
    });
}

/** Who has an account, and what is on it. */
export function accountAnswer(account: admin.ShowAccountResponse) {
  const document = accountDocument(account);
  return {
    document,
    text: fields({
      account: document.account_id,
      name: document.name,
      "balance EUR": document.balance,
      ...(document.in_debt ? { "in debt": true } : {}),
      "VAT exempt": document.vat_exempt,
      opened: document.opened_at,
      ...(document.erased_at === null ? {} : { erased: document.erased_at }),
    }),
  };
}

function accountDocument(account: admin.ShowAccountResponse) {
  return {
    account_id: jsonInteger(account.accountId),
    name: account.name,
    balance: formatEuros(account.balanceCents),
    in_debt: account.balanceCents < 0n,
    vat_exempt: account.vatExempt,
    opened_at: account.openedAt,
    erased_at: account.erasedAt ?? null,
  };
}

/** The services are asked one by one: none of them knows what the others have. */
async function glanceAt(staff: StaffClient, accountId: bigint): Promise<Answer> {
  // First, and alone: where there is no such account, that is the answer.
  const account = await staff.accounts.showAccount({ accountId });
  const page = { limit: shownOfEach };
  const [domains, servers, ofDomains, ofServers, tickets, { quotas }, facts] = await Promise.all([
    staff.domains.listAllDomains({ accountId, page }),
    staff.servers.listAllServers({ accountId, presentOnly: true, page }),
    staff.domains.listRuns({ accountId }),
    staff.servers.listServerRuns({ accountId }),
    staff.support.listAllTickets({ accountId, openOnly: true, page }),
    staff.accounts.listQuotas({ accountId }),
    staff.accounts.listAccountFacts({ accountId, limit: shownOfEach }),
  ]);
  const sections = {
    domains: domainSection(domains),
    servers: serverSection(servers),
    runs: runSection([...ofDomains.runs, ...ofServers.runs]),
    tickets: ticketSection(tickets),
    facts: factSection(facts),
  };
  const quotaRows = quotas.map(quotaRow);
  const answer = accountAnswer(account);
  const texts = Object.values(sections).map(({ text }) => text);
  const documents = Object.entries(sections).map(([name, { document }]) => [name, document] as const);
  return {
    document: { ...accountDocument(account), ...Object.fromEntries(documents), quotas: quotaRows },
    text: `${answer.text}${texts.join("")}\nquotas\n${table(quotaColumns, quotaRows)}`,
  };
}

function domainSection({ domains, total }: admin.ListAllDomainsResponse): Answer {
  const rows = domains.map((domain) => ({
    domain_id: jsonInteger(domain.id),
    domain_name: domain.domainName,
    status: domain.status,
    expiry_date: domain.expiryDate ?? null,
  }));
  return section("domains", total, rows, [
    { heading: "id", cell: (row) => row.domain_id, align: "right" },
    { heading: "name", cell: (row) => row.domain_name },
    { heading: "status", cell: (row) => row.status },
    { heading: "expires", cell: (row) => row.expiry_date },
  ]);
}

function serverSection({ servers, total }: admin.ListAllServersResponse): Answer {
  const rows = servers.map((server) => ({
    server_id: jsonInteger(server.id),
    status: server.status,
    cancelled: server.cancelled,
    plan_id: jsonInteger(server.planId),
    expiry_date: server.expiryDate,
  }));
  return section("servers", total, rows, [
    { heading: "id", cell: (row) => row.server_id, align: "right" },
    { heading: "plan", cell: (row) => row.plan_id, align: "right" },
    { heading: "status", cell: (row) => row.status },
    { heading: "cancelled", cell: (row) => row.cancelled },
    { heading: "expires", cell: (row) => row.expiry_date },
  ]);
}

function runSection(runs: readonly admin.Run[]): Answer {
  const rows = runs.slice(0, shownOfEach).map((run) => ({
    run: run.run,
    subject: run.subject,
    status: run.status,
    step: run.step,
    started_at: run.startedAt,
  }));
  return section("unfinished runs", BigInt(runs.length), rows, [
    { heading: "run", cell: (row) => row.run },
    { heading: "subject", cell: (row) => row.subject },
    { heading: "status", cell: (row) => row.status },
    { heading: "step", cell: (row) => row.step },
    { heading: "started", cell: (row) => row.started_at },
  ]);
}

function ticketSection({ tickets, total }: admin.ListAllTicketsResponse): Answer {
  const rows = tickets
    .flatMap(({ ticket }) => ticket ?? [])
    .map((ticket) => ({
      ticket_id: jsonInteger(ticket.id),
      priority: ticket.priority,
      title: ticket.title,
      created_at: ticket.createdAt,
    }));
  return section("open tickets", total, rows, [
    { heading: "ticket", cell: (row) => row.ticket_id, align: "right" },
    { heading: "priority", cell: (row) => row.priority },
    { heading: "opened", cell: (row) => row.created_at },
    { heading: "title", cell: (row) => row.title },
  ]);
}

function factSection({ facts, total }: admin.ListAccountFactsResponse): Answer {
  const rows = facts.map((fact) => ({
    revision: jsonInteger(fact.revision),
    type: fact.type,
    stored_at: fact.storedAt,
    actor: fact.actor,
    sentence: fact.sentence,
  }));
  return section("last facts", total, rows, [
    { heading: "stored", cell: (row) => row.stored_at },
    { heading: "by", cell: (row) => row.actor },
    { heading: "what happened", cell: (row) => row.sentence },
  ]);
}

/** Some things of a kind, and how many there are. @param total the account has; absent where an older instance answers. */
function section<Row extends JsonValue>(
  heading: string,
  total: bigint | undefined,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Answer {
  const all = total === undefined ? rows.length : jsonInteger(total);
  const counted = `\n${heading}: ${rows.length === 0 ? "none" : `${String(rows.length)} of ${String(all)}`}\n`;
  return {
    document: { total: all, listed: rows },
    text: rows.length === 0 ? counted : `${counted}${table(columns, rows)}`,
  };
}
