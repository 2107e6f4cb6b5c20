import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";

import { parseId } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf, type MessageView } from "../output/message-document.ts";
import type { Answer } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { argument } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";
import { quotas } from "./admin-quota.command.ts";

/** Maximum items shown per kind; other commands list all. */
const shownOfEach = 10;

const domains = viewOf(
  admin.StaffDomainSchema,
  { id: "id", name: "domainName", status: "status", expires: "expiryDate" },
  ({ id, domainName, status, expiryDate = null }) => ({
    domain_id: jsonInteger(id),
    domain_name: domainName,
    status,
    expiry_date: expiryDate,
  }),
);

const servers = viewOf(
  admin.StaffServerSchema,
  { id: "id", plan: "planId", status: "status", cancelled: "cancelled", expires: "expiryDate" },
  ({ id, status, cancelled, planId, expiryDate }) => ({
    server_id: jsonInteger(id),
    status,
    cancelled,
    plan_id: jsonInteger(planId),
    expiry_date: expiryDate,
  }),
);

const runs = viewOf(
  admin.RunSchema,
  { run: "run", subject: "subject", status: "status", step: "step", started: "startedAt" },
  { process: null, accountId: null, reason: null },
);

const tickets = viewOf(
  admin.CustomerTicketSchema,
  {
    ticket: { right: ({ ticket }) => ticket && jsonInteger(ticket.id) },
    priority: ({ ticket }) => ticket?.priority,
    opened: ({ ticket }) => ticket?.createdAt,
    title: ({ ticket }) => ticket?.title,
  },
  ({ ticket }) => ({
    ticket_id: ticket === undefined ? null : jsonInteger(ticket.id),
    priority: ticket?.priority ?? null,
    title: ticket?.title ?? null,
    created_at: ticket?.createdAt ?? null,
  }),
);

const events = viewOf(admin.AccountFactSchema, {
  stored: "storedAt",
  by: "actor",
  "what happened": "sentence",
});

/** `admin account show` calls several services, because each stores only its own part of an account. */
export const addAccountShowCommand = custom(
  ["show", "show an account at a glance: balance, resources, runs, tickets, quotas, last events"],
  { accountId: argument("<id>", "account id", parseId) },
  async (staff, asked) => {
    // Called first, so an unknown account ends the command.
    const account = await staff.accounts.showAccount(asked);
    const [sections, ofQuotas] = await Promise.all([
      sectionsOf(staff, asked),
      staff.accounts.listQuotas(asked),
    ]);
    const documents = Object.entries(sections).map(([name, { document }]) => [name, document] as const);
    const listed = quotas.list(ofQuotas.quotas);
    const texts = [accountAnswer(account), ...Object.values(sections)].map(({ text }) => text);
    return {
      document: {
        ...accountDocument(account),
        ...Object.fromEntries(documents),
        quotas: listed.document,
      },
      text: `${texts.join("")}\nquotas\n${listed.text}`,
    };
  },
);

async function sectionsOf(staff: StaffClient, asked: { readonly accountId: bigint }) {
  const page = { limit: shownOfEach };
  const [ofDomains, ofServers, domainRuns, serverRuns, ofTickets, ofEvents] = await Promise.all([
    staff.domains.listAllDomains({ ...asked, page }),
    staff.servers.listAllServers({ ...asked, presentOnly: true, page }),
    staff.domains.listRuns(asked),
    staff.servers.listServerRuns(asked),
    staff.support.listAllTickets({ ...asked, openOnly: true, page }),
    staff.accounts.listAccountFacts({ ...asked, limit: shownOfEach }),
  ]);
  const unfinished = [...domainRuns.runs, ...serverRuns.runs];
  return {
    domains: section("domains", domains, ofDomains.domains, ofDomains.total),
    servers: section("servers", servers, ofServers.servers, ofServers.total),
    runs: section("unfinished runs", runs, unfinished.slice(0, shownOfEach), BigInt(unfinished.length)),
    tickets: section("open tickets", tickets, ofTickets.tickets, ofTickets.total),
    facts: section("last events", events, ofEvents.facts, ofEvents.total),
  };
}

/** Returns some items of a kind with their number. @param total number of all items; absent from older instances */
function section<Message>(
  heading: string,
  kind: MessageView<Message>,
  messages: readonly Message[],
  total: bigint | undefined,
): Answer {
  const all = total === undefined ? messages.length : jsonInteger(total);
  const { document, text } = kind.list(messages);
  const counted = messages.length === 0 ? "none" : `${String(messages.length)} of ${String(all)}`;
  return {
    document: { total: all, listed: document },
    text: `\n${heading}: ${counted}\n${messages.length === 0 ? "" : text}`,
  };
}

/** Formats an account's owner and balance. */
export function accountAnswer(account: admin.ShowAccountResponse) {
  const document = accountDocument(account);
  return {
    document,
    text: fields({
      account: document.account_id,
      name: document.name,
      "balance EUR": document.balance,
      ...(document.in_debt ? { "in debt": true } : {}),
      ...(document.debt_since === null
        ? {}
        : { "in debt since": document.debt_since, reminders: document.debt_reminders }),
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
    debt_since: account.debtSince ?? null,
    debt_reminders: account.debtReminders,
    vat_exempt: account.vatExempt,
    opened_at: account.openedAt,
    erased_at: account.erasedAt ?? null,
  };
}
