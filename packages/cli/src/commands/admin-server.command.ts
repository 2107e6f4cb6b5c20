import { admin } from "@hostledger/protocol";

import { parseCount, parseId } from "../arguments/value-parsers.ts";
import { viewOf, type ShownFields } from "../output/message-document.ts";
import { argument, fixed, flag, option, optionOr, page, required } from "../staff/command-line.codec.ts";
import { call, noun, type CommandRow } from "../staff/staff-table.ts";

const methods = admin.ServerAdminService.method;
const serverId = argument("<id>", "server id", parseId);

const servers = viewOf(
  admin.StaffServerSchema,
  {
    id: "id",
    account: "accountId",
    status: "status",
    node: "node",
    address: "ipAddress",
    expires: "expiryDate",
  },
  { id: "server_id" },
);

const shownOfServer: ShownFields<admin.StaffServer> = {
  server: "id",
  account: "accountId",
  status: "status",
  held: "held",
  "why, for the customer": "holdReason",
  "note of staff": "staffReason",
  plan: "planId",
  region: "regionId",
  system: "distro",
  node: "node",
  address: "ipAddress",
  "host name": "hostname",
  expires: "expiryDate",
  cancelled: "cancelled",
  "renews automatically": "autoRenew",
};

export const addServerCommands = noun("server", "customers' servers", [
  call(["list", "list servers by id, ended ones too"], methods.listAllServers, {
    inputs: { accountId: option("--account <id>", "only of this account", parseId), page },
    answer: (list) => servers.list(list.servers),
  }),
  call(["show", "show a server, even if it has ended"], methods.showServer, {
    inputs: { serverId },
    answer: ({ server }) => servers.one(shownOfServer, server),
  }),
  call(["provision", "provision a server without charge (migration, gift)"], methods.provisionServer, {
    inputs: {
      accountId: required("--account <id>", "account id", parseId),
      planId: required("--plan <id>", "plan id", parseId),
      regionId: required("--region <id>", "region id", parseId),
      months: optionOr("--months <n>", "months until it expires", parseCount, 1),
      whitelisted: flag("--whitelisted", "let it turn its firewall off"),
    },
    text: ({ serverId: id }) => `Server ${String(id)} is the account's.\n`,
  }),
  call(
    [
      "suspend",
      "stop a server until it is renewed or unsuspended; with --reason, only until it is unsuspended",
    ],
    methods.setServerSuspension,
    {
      inputs: {
        serverId,
        suspended: fixed(true),
        reason: option(
          "--reason <text>",
          "reason for the customer, in one line; puts a hold on the server, so that it cannot be renewed",
        ),
        note: option("--note <text>", "a line for staff alone"),
      },
      text: suspensionText,
    },
  ),
  call(
    ["unsuspend", "let a suspended server run again, and release it from a hold"],
    methods.setServerSuspension,
    { inputs: { serverId, suspended: fixed(false) }, text: suspensionText },
  ),
  call(
    ["terminate", "end a server at once: its machine is destroyed, and no money is refunded"],
    methods.terminateServer,
    {
      inputs: { serverId },
      text: ({ serverId: id, status }) =>
        `Server ${String(id)} ${status === "terminated" ? "has ended" : "ends: its machine is being destroyed"}.\n`,
    },
  ),
  whitelisting("whitelist", "let a server turn its firewall off", true),
  whitelisting("unwhitelist", "no longer let a server turn its firewall off", false),
]);

function suspensionText({ serverId: id, suspended, held }: admin.SetServerSuspensionResponse): string {
  if (!suspended) return `Server ${String(id)} is released: it runs for as long as it is paid for.\n`;
  return `Server ${String(id)} is suspended${held ? ", and held until it is unsuspended" : ""}.\n`;
}

function whitelisting(verb: string, description: string, wanted: boolean): CommandRow {
  return call([verb, description], methods.setServerWhitelisting, {
    inputs: { serverId, whitelisted: fixed(wanted) },
    text: ({ serverId: id, whitelisted }) =>
      `Server ${String(id)} ${whitelisted ? "may" : "may not"} turn its firewall off.\n`,
  });
}
