import { expect, it } from "vitest";
import { runAgainst } from "../testing/run-command.ts";

const implementation = {
  domains: {
    showSandbox: () => ({
      registrar: [
        {
          name: "a.com",
          clientTransactionId: "t-1",
          registeredAt: "2026-01-01",
          expiresAt: "2027-01-01",
          nameservers: ["ns1.example", "ns2.example"],
        },
      ],
      dns: [
        {
          name: "a.com",
          records: [
            { type: "A", name: "@", value: "192.0.2.10", ttl: 3_600 },
            { type: "MX", name: "@", value: "mx.a.com", ttl: 60, priority: 10 },
          ],
        },
        { name: "empty.com", records: [] },
      ],
      compute: [
        {
          name: "server-5",
          node: "fra-1",
          ipAddress: "198.51.100.5",
          running: true,
          firewallEnabled: false,
          firewallRules: 2,
        },
      ],
    }),
  },
};

it("admin sandbox show prints the resources of each provider", async () => {
  const { stdout } = await runAgainst(implementation, ["admin", "sandbox", "show"]);
  expect(stdout).toBe(
    [
      "Registrar: 1 name",
      "NAME   ORDER  REGISTERED  EXPIRES     NAMESERVERS",
      "a.com  t-1    2026-01-01  2027-01-01  ns1.example ns2.example",
      "",
      "DNS: 2 zones",
      "ZONE       NAME  TYPE   TTL  PRIORITY  VALUE",
      "a.com      @     A     3600         -  192.0.2.10",
      "a.com      @     MX      60        10  mx.a.com",
      "empty.com  -     -        -         -  -",
      "",
      "Nodes: 1 server",
      "SERVER    NODE   ADDRESS       RUNNING  FIREWALL  RULES",
      "server-5  fra-1  198.51.100.5  yes      no            2",
      "",
    ].join("\n"),
  );
});

it("admin sandbox show answers JSON", async () => {
  const { stdout } = await runAgainst(implementation, ["admin", "sandbox", "show", "--json"]);
  expect(JSON.parse(stdout)).toEqual({
    registrar: [
      {
        name: "a.com",
        client_transaction_id: "t-1",
        registered_at: "2026-01-01",
        expires_at: "2027-01-01",
        nameservers: ["ns1.example", "ns2.example"],
        hold: false,
      },
    ],
    dns: [
      {
        name: "a.com",
        records: [
          { type: "A", name: "@", value: "192.0.2.10", ttl: 3600, priority: null },
          { type: "MX", name: "@", value: "mx.a.com", ttl: 60, priority: 10 },
        ],
      },
      { name: "empty.com", records: [] },
    ],
    compute: [
      {
        name: "server-5",
        node: "fra-1",
        ip_address: "198.51.100.5",
        running: true,
        firewall_enabled: false,
        firewall_rules: 2,
      },
    ],
  });
});
