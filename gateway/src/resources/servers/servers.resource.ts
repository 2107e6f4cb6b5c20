import { server as messages } from "@hostledger/protocol";
import { z } from "zod";

import { listed, listQuery, nameText, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  euroAmount,
  id,
  idInBody,
  inputExamples,
  integer,
  laterTimestamp,
  line,
  oneOf,
  otherwise,
  resourceId,
  shownText,
  succeeded,
  timestamp,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";

export const serverPath = z.object({ server: resourceId.meta({ description: "Server id." }) });

/** Months of an order or a renewal; 1 if absent. */
const duration = integer(1, 12)
  .optional()
  .meta({ description: "Months, 1 to 12. Default: 1.", examples: [3] });

const exampleKey =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g me@example";
const orderServerBody = z.object({
  plan_id: idInBody,
  region_id: idInBody,
  distro_id: idInBody,
  duration,
  ssh_key: line({ minimum: 1, maximum: 8_192 })
    .optional()
    .meta({ description: "A public key for the first login.", examples: [exampleKey] }),
});

const hostnameRule = "must be a host name of at most 63 characters, or null";
const shortestHostname = 3;
const longestHostname = line({ maximum: 63 });

/** Returns true for a name too short to be set, which clears the host name. */
const clears = (name: string): boolean =>
  Array.from(name.slice(0, 2 * shortestHostname)).length < shortestHostname;

/** Body of `PUT /servers/{server}/hostname` (specification §4.9). */
const updateHostnameBody = z.object({
  hostname: z
    .string({ error: otherwise(hostnameRule) })
    .refine((name) => clears(name) || longestHostname.safeParse(name).success, { error: hostnameRule })
    .meta({ maxLength: 63 })
    .nullable()
    .transform((name) => (name === null || clears(name) ? undefined : name))
    .meta({
      description: "Labels per RFC 1123. Null or fewer than 3 characters clears the host name.",
      ...inputExamples("web-1.example.com"),
    }),
});

/** A server (contract, "GET /servers"). */
const server = z
  .object({
    id,
    hostname: shownText("web-1.example.com").nullable(),
    ip_address: shownText("192.0.2.10"),
    node: shownText("fra-node-1"),
    rdns: shownText("192-0-2-10.static.hostledger.example"),
    distro: shownText("Debian 13"),
    status: z.string().meta({
      enum: ["active", "suspended", "provisioning", "terminating", "terminated"],
      description:
        "`terminated` appears only in the answer to a cancellation that has destroyed the machine.",
    }),
    plan_id: id,
    suspended: z.boolean().meta({ examples: [false] }),
    created_at: timestamp,
    expiry_date: laterTimestamp,
    terminates_at: timestamp.nullable().meta({
      examples: ["2027-12-05T01:30:00.000000Z"],
      description:
        "Time at which the server and its data are destroyed unless it is renewed. Null while it is provisioned, held or terminated.",
    }),
    cancelled: z.boolean().meta({
      description: "True if the server ends with its paid term. A renewal revokes the cancellation.",
      examples: [false],
    }),
    auto_renew: z.boolean().meta({
      description: "True if the server is renewed by one month each time, from a week before expiry.",
    }),
    held: z.boolean().meta({
      examples: [false],
      description:
        "True if staff hold the server. It is suspended, and cannot be renewed or ended immediately until staff release it. After that it stays for at least 7 days.",
    }),
    hold_reason: z
      .string()
      .nullable()
      .meta({
        examples: [null],
        description: "Reason given by staff; null if the server is not held or staff gave no reason.",
      }),
  })
  .meta({ id: "Server", description: "A rented server." });

const changedServer = succeeded({ server });

/** Answer of a renewal; the server as in specification §2.3. */
const renewedServer = succeeded({
  invoice_id: id,
  amount_charged: euroAmount.meta({ description: "Gross euros charged to the balance." }),
  new_expiry_date: laterTimestamp,
  server: server.pick({ id: true, ip_address: true, expiry_date: true, suspended: true }),
});

/** Answer of `POST /order`; the contract names its flag `success` instead of `status`. */
const orderedServer = z.object({
  success: z.literal(true),
  server_id: id,
  invoice_id: id,
  duration: z.int().meta({ description: "Months.", examples: [3] }),
  amount_charged: euroAmount.meta({ description: "Gross euros charged to the balance." }),
  expiry_date: laterTimestamp,
});

const serverView = view(messages.ServerSchema, server, {});

const renewedView = view(messages.ServerSchema, renewedServer.shape.server, {});

const renewedServerView = view(
  messages.RenewServerResponseSchema,
  renewedServer.omit({ status: true, message: true }),
  { server: (renewed) => renewedView(present(renewed.server, "RenewServerResponse.server")) },
);

const orderedServerView = view(messages.OrderServerResponseSchema, orderedServer, { success: true });

export const serverOperations = [
  operation({
    id: "listServers",
    scopes: ["servers", "read"],
    route: "GET /servers",
    summary: "List the account's servers, oldest first",
    request: {
      query: listQuery.extend({
        status: statusText(["active", "suspended", "provisioning", "terminating"]),
        name: nameText("Return only servers with this host name."),
      }),
    },
    responses: { 200: z.array(server) },
    refusals: [],
    answer: ({ query }, { servers, call }) =>
      listed("/servers", query, async (page) =>
        (await servers.listServers({ page }, call)).servers.map(serverView),
      ),
  }),
  operation({
    id: "getServer",
    scopes: ["servers", "read"],
    route: "GET /servers/{server}",
    summary: "Read a server",
    request: { params: serverPath },
    responses: { 200: server },
    refusals: [],
    async body({ params }, { servers, call }) {
      const found = await servers.getServer({ serverId: params.server }, call);
      return serverView(present(found.server, "GetServerResponse.server"));
    },
  }),
  operation({
    id: "orderServer",
    scopes: ["servers"],
    route: "POST /order",
    summary: "Order a server and pay from the balance",
    request: { body: orderServerBody },
    responses: { 201: orderedServer },
    refusals: [
      "insufficient-balance",
      "profile-incomplete",
      "out-of-stock",
      "plan-not-found",
      "region-not-found",
      "compute-failed",
      "quota-exceeded",
    ],
    async body({ body }, { servers, call }) {
      const { plan_id: planId, region_id: regionId, distro_id: distroId, ssh_key: sshKey } = body;
      const order = { planId, regionId, distroId, duration: body.duration, sshKey };
      return orderedServerView(await servers.orderServer(order, call));
    },
  }),
  operation({
    id: "renewServer",
    scopes: ["servers"],
    route: "POST /servers/{server}/renew",
    summary: "Renew a server and pay from the balance",
    description:
      "The discount is 5, 10 or 15 % for 3, 6 or 12 months. Renewing a suspended server costs 10 % more and activates it. " +
      "A server held by staff is refused with 409 `server_held` and their `reason`.",
    request: { params: serverPath, body: z.object({ duration }) },
    responses: { 200: renewedServer },
    message: "Server renewed",
    refusals: [
      "insufficient-balance",
      "profile-incomplete",
      "renewal-in-flight",
      "server-not-active",
      "server-held",
      "quota-exceeded",
    ],
    body: async ({ params, body }, { servers, call }) =>
      renewedServerView(await servers.renewServer({ serverId: params.server, ...body }, call)),
  }),
  operation({
    id: "cancelServer",
    scopes: ["servers"],
    route: "POST /servers/{server}/cancel",
    summary: "End a server with its paid term, or immediately",
    description:
      "Nothing is refunded. `message` says when the server ends; until then a renewal revokes the cancellation. " +
      "Ending it immediately destroys the machine and its data.",
    request: {
      params: serverPath,
      body: z.object({
        at: oneOf(["end_of_term", "now"]).meta({
          description: "When the server ends: with its paid term, or now.",
          examples: ["end_of_term"],
        }),
      }),
    },
    responses: { 200: changedServer },
    message: "Server cancelled: it ends on 2027-11-21, and its data with it. A renewal takes that back",
    refusals: ["server-not-active", "server-held", "renewal-in-flight", "quota-exceeded"],
    async body({ params, body }, { servers, call }) {
      const request = { serverId: params.server, now: body.at === "now" };
      const changed = await servers.cancelServer(request, call);
      const cancelled = serverView(present(changed.server, "CancelServerResponse.server"));
      const message =
        cancelled.status === "active" || cancelled.status === "suspended"
          ? `Server cancelled: it ends on ${cancelled.expiry_date.slice(0, 10)}, and its data with it. A renewal takes that back`
          : "Server terminated: its data are destroyed now. What was paid is not returned";
      return { message, server: cancelled };
    },
  }),
  operation({
    id: "updateServerSettings",
    scopes: ["servers"],
    route: "PUT /servers/{server}/settings",
    summary: "Turn a server's automatic renewal on or off",
    description:
      "Automatic renewal extends the server by one month. The service tries from a week before expiry, once a day and after each top-up. " +
      "Turning automatic renewal on revokes a cancellation.",
    request: {
      params: serverPath,
      body: z.object({
        auto_renew: z.boolean({ error: otherwise("must be true or false") }).meta({ examples: [true] }),
      }),
    },
    responses: { 200: changedServer },
    message: "Settings updated: the server renews itself before 2027-11-21",
    refusals: ["server-not-active", "quota-exceeded"],
    async body({ params, body }, { servers, call }) {
      const request = { serverId: params.server, autoRenew: body.auto_renew };
      const changed = await servers.updateServerSettings(request, call);
      const updated = serverView(present(changed.server, "UpdateServerSettingsResponse.server"));
      const ending = updated.auto_renew ? "the server renews itself before" : "the server is paid for until";
      return { message: `Settings updated: ${ending} ${updated.expiry_date.slice(0, 10)}`, server: updated };
    },
  }),
  operation({
    id: "updateHostname",
    scopes: ["servers"],
    route: "PUT /servers/{server}/hostname",
    summary: "Set or clear the display host name of a server",
    request: { params: serverPath, body: updateHostnameBody },
    responses: {
      200: succeeded({
        hostname: shownText("web-1.example.com", "The host name; null if cleared.").nullable(),
      }),
    },
    message: "Hostname updated",
    refusals: ["server-not-active", "quota-exceeded"],
    async body({ params, body }, { servers, call }) {
      const { hostname = null } = await servers.updateHostname({ serverId: params.server, ...body }, call);
      return { message: `Hostname ${hostname === null ? "cleared" : "updated"}`, hostname };
    },
  }),
];
