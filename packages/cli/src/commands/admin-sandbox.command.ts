import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { table } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin sandbox …`: what the simulated providers hold, to compare with the books. */
export function addSandboxCommands(group: Command, context: CommandContext): void {
  group
    .command("sandbox")
    .description("the simulated registrar, DNS server and nodes")
    .command("show")
    .description("show what each simulated party holds")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const { registrar, dns, compute } = await domains.showSandbox({});
        return {
          document: {
            registrar: registrar.map(domainDocument),
            dns: dns.map(zoneDocument),
            compute: compute.map(serverDocument),
          },
          text: [
            `Registrar: ${counted(registrar.length, "name")}\n${domainTable(registrar)}`,
            `DNS: ${counted(dns.length, "zone")}\n${recordTable(dns)}`,
            `Nodes: ${counted(compute.length, "server")}\n${serverTable(compute)}`,
          ].join("\n"),
        };
      });
    });
}

function domainDocument(domain: admin.SandboxDomain) {
  return {
    name: domain.name,
    client_transaction_id: domain.clientTransactionId,
    registered_at: domain.registeredAt,
    expires_at: domain.expiresAt,
    nameservers: domain.nameservers,
    hold: domain.hold,
  };
}

function zoneDocument(zone: admin.SandboxZone) {
  const records = zone.records.map(({ type, name, value, ttl, priority }) => ({
    type,
    name,
    value,
    ttl,
    priority: priority ?? null,
  }));
  return { name: zone.name, records };
}

function serverDocument(server: admin.SandboxServer) {
  return {
    name: server.name,
    node: server.node,
    ip_address: server.ipAddress,
    running: server.running,
    firewall_enabled: server.firewallEnabled,
    firewall_rules: server.firewallRules,
  };
}

function serverTable(servers: readonly admin.SandboxServer[]): string {
  return table(
    [
      { heading: "server", cell: (server) => server.name },
      { heading: "node", cell: (server) => server.node },
      { heading: "address", cell: (server) => server.ipAddress },
      { heading: "running", cell: (server) => server.running },
      { heading: "firewall", cell: (server) => server.firewallEnabled },
      { heading: "rules", cell: (server) => server.firewallRules, align: "right" },
    ],
    servers,
  );
}

function domainTable(domains: readonly admin.SandboxDomain[]): string {
  return table(
    [
      { heading: "name", cell: (domain) => domain.name },
      { heading: "order", cell: (domain) => domain.clientTransactionId },
      { heading: "registered", cell: (domain) => domain.registeredAt },
      { heading: "expires", cell: (domain) => domain.expiresAt },
      { heading: "nameservers", cell: (domain) => domain.nameservers.join(" ") },
    ],
    domains,
  );
}

function recordTable(zones: readonly admin.SandboxZone[]): string {
  return table(
    [
      { heading: "zone", cell: (row) => row.zone },
      { heading: "name", cell: (row) => row.record?.name },
      { heading: "type", cell: (row) => row.record?.type },
      { heading: "ttl", cell: (row) => row.record?.ttl, align: "right" },
      { heading: "priority", cell: (row) => row.record?.priority, align: "right" },
      { heading: "value", cell: (row) => row.record?.value },
    ],
    zones.flatMap((zone): { zone: string; record?: admin.SandboxRecord }[] =>
      // A zone without records is a fact worth its own line.
      zone.records.length === 0
        ? [{ zone: zone.name }]
        : zone.records.map((record) => ({ zone: zone.name, record })),
    ),
  );
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}
