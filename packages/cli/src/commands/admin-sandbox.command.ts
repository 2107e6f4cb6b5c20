import { counted } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { viewOf } from "../output/message-document.ts";
import { table } from "../output/table.ts";
import { call, noun } from "../staff/staff-table.ts";

const names = viewOf(admin.SandboxDomainSchema, {
  name: "name",
  order: "clientTransactionId",
  registered: "registeredAt",
  expires: "expiresAt",
  nameservers: ({ nameservers }) => nameservers.join(" "),
});

const machines = viewOf(admin.SandboxServerSchema, {
  server: "name",
  node: "node",
  address: "ipAddress",
  running: "running",
  firewall: "firewallEnabled",
  rules: "firewallRules",
});

/** `admin sandbox …`: shows the simulated providers' resources, to compare with the events. */
export const addSandboxCommands = noun("sandbox", "the simulated registrar, DNS server and nodes", [
  call(
    ["show", "show the domains, zones and machines of each simulated provider"],
    admin.DomainAdminService.method.showSandbox,
    {
      text: ({ registrar, dns, compute }) =>
        [
          `Registrar: ${counted(registrar.length, "name")}\n${names.list(registrar).text}`,
          `DNS: ${counted(dns.length, "zone")}\n${recordTable(dns)}`,
          `Nodes: ${counted(compute.length, "server")}\n${machines.list(compute).text}`,
        ].join("\n"),
    },
  ),
]);

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
      // A zone without records gets a row of its own.
      zone.records.length === 0
        ? [{ zone: zone.name }]
        : zone.records.map((record) => ({ zone: zone.name, record })),
    ),
  );
}
