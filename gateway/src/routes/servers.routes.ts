import type { Client } from "@connectrpc/connect";
import type { server as messages } from "@hostledger/protocol";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { listQuery, nameText, statusText } from "../schemas/page.schema.ts";
import {
  cancelServerBody,
  changedServer,
  orderedServer,
  orderServerBody,
  renewedServer,
  renewServerBody,
  server,
  serverList,
  serverPath,
  serverSettingsBody,
  updatedHostname,
  updateHostnameBody,
} from "../schemas/server.schema.ts";
import { present } from "../views/view.codec.ts";
import {
  cancelledServerView,
  changedServerView,
  orderedServerView,
  renewedServerView,
  serverView,
  updatedHostnameView,
} from "../views/server.view.ts";

type ServerClient = Client<typeof messages.ServerService>;

/** Operations to order, read, renew, cancel and rename servers. */
export function serverRoutes(servers: ServerClient): Operation[] {
  return [...reading(servers), ...buying(servers), ...ending(servers), naming(servers)];
}

function reading(servers: ServerClient): Operation[] {
  return [
    operation({
      id: "listServers",
      scopes: ["servers", "read"],
      tag: "Servers",
      method: "get",
      path: "/servers",
      summary: "List the servers of the account, oldest first",
      request: {
        query: listQuery.extend({
          status: statusText(["active", "suspended", "provisioning", "terminating"]),
          name: nameText("Only the servers with this host name."),
        }),
      },
      responses: { 200: serverList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/servers", query, async (page) => {
          const list = await servers.listServers({ page }, call);
          return list.servers.map(serverView);
        }),
    }),
    operation({
      id: "getServer",
      scopes: ["servers", "read"],
      tag: "Servers",
      method: "get",
      path: "/servers/{server}",
      summary: "Read one server",
      request: { params: serverPath },
      responses: { 200: server },
      refusals: [],
      async handle({ params }, { call }) {
        const found = await servers.getServer({ serverId: params.server }, call);
        return { status: 200, body: serverView(present(found.server, "GetServerResponse.server")) };
      },
    }),
  ];
}

function buying(servers: ServerClient): Operation[] {
  return [
    operation({
      id: "orderServer",
      scopes: ["servers"],
      tag: "Servers",
      method: "post",
      path: "/order",
      summary: "Order a server and pay for it from the balance",
      request: { body: orderServerBody },
      responses: { 201: orderedServer },
      refusals: [
        "insufficient-balance",
        "out-of-stock",
        "plan-not-found",
        "region-not-found",
        "compute-failed",
        "quota-exceeded",
      ],
      async handle({ body }, { call }) {
        const ordered = await servers.orderServer(
          {
            planId: body.plan_id,
            regionId: body.region_id,
            distroId: body.distro_id,
            duration: body.duration,
            sshKey: body.ssh_key,
          },
          call,
        );
        return { status: 201, body: orderedServerView(ordered) };
      },
    }),
    operation({
      id: "renewServer",
      scopes: ["servers"],
      tag: "Servers",
      method: "post",
      path: "/servers/{server}/renew",
      summary: "Renew a server and pay for it from the balance",
      description:
        "3, 6 and 12 months are 5, 10 and 15 % off; a suspended server costs 10 % more and is active again. A server that staff hold is 409 `server_held`, with their `reason`.",
      request: { params: serverPath, body: renewServerBody },
      responses: { 200: renewedServer },
      exampleMessage: "Server renewed",
      refusals: [
        "insufficient-balance",
        "renewal-in-flight",
        "server-not-active",
        "server-held",
        "quota-exceeded",
      ],
      async handle({ params, body }, { call }) {
        const renewed = await servers.renewServer({ serverId: params.server, ...body }, call);
        return { status: 200, body: renewedServerView(renewed) };
      },
    }),
  ];
}

function ending(servers: ServerClient): Operation[] {
  return [
    operation({
      id: "cancelServer",
      scopes: ["servers"],
      tag: "Servers",
      method: "post",
      path: "/servers/{server}/cancel",
      summary: "End a server with its paid time, or at once",
      description:
        "Nothing of what was paid is returned. `message` says when it ends; until then a renewal takes the cancellation back. At once means that the machine and its data are destroyed.",
      request: { params: serverPath, body: cancelServerBody },
      responses: { 200: changedServer },
      exampleMessage:
        "Server cancelled: it ends on 2027-11-21, and its data with it. A renewal takes that back",
      refusals: ["server-not-active", "server-held", "renewal-in-flight", "quota-exceeded"],
      async handle({ params, body }, { call }) {
        const request = { serverId: params.server, now: body.at === "now" };
        const { server: cancelled } = await servers.cancelServer(request, call);
        return { status: 200, body: cancelledServerView(cancelled) };
      },
    }),
    operation({
      id: "updateServerSettings",
      scopes: ["servers"],
      tag: "Servers",
      method: "put",
      path: "/servers/{server}/settings",
      summary: "Turn a server's automatic renewal on or off",
      description:
        "A server that renews itself is renewed for a month, from a week before it expires, once a day and as soon as there is money. Turning it on takes a cancellation back.",
      request: { params: serverPath, body: serverSettingsBody },
      responses: { 200: changedServer },
      exampleMessage: "Settings updated: the server renews itself before 2027-11-21",
      refusals: ["server-not-active", "quota-exceeded"],
      async handle({ params, body }, { call }) {
        const request = { serverId: params.server, autoRenew: body.auto_renew };
        const { server: updated } = await servers.updateServerSettings(request, call);
        return { status: 200, body: changedServerView(updated) };
      },
    }),
  ];
}

function naming(servers: ServerClient): Operation {
  return operation({
    id: "updateHostname",
    scopes: ["servers"],
    tag: "Servers",
    method: "put",
    path: "/servers/{server}/hostname",
    summary: "Set or clear the display host name of a server",
    request: { params: serverPath, body: updateHostnameBody },
    responses: { 200: updatedHostname },
    exampleMessage: "Hostname updated",
    refusals: ["server-not-active", "quota-exceeded"],
    async handle({ params, body }, { call }) {
      const updated = await servers.updateHostname({ serverId: params.server, ...body }, call);
      return { status: 200, body: updatedHostnameView(updated) };
    },
  });
}
