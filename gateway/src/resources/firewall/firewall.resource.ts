import { server as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { operation, type Caller } from "../../http/operation.ts";
import {
  done,
  flag,
  inputExamples,
  integerOfText,
  line,
  oneOf,
  otherwise,
  shownText,
  succeeded,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";
import { serverPath } from "../servers/servers.resource.ts";

const maximumPosition = 9_999;

/** Path parameters of a firewall rule. Positions start at 0. */
const firewallRulePath = serverPath.extend({
  pos: z
    .string()
    .regex(/^(0|[1-9]\d{0,3})$/, { abort: true })
    .transform(Number)
    .meta({ description: "Position of the rule, from 0.", ...integerOfText(0, maximumPosition) }),
});

const digest = z
  .string({ error: otherwise("must be a string") })
  .regex(/^[0-9a-f]{40}$/, { error: "must be the digest that the list of rules had" });

const ports = line({ maximum: 255 })
  .optional()
  .meta({ description: "A port, a range or a list; empty means any.", examples: ["8000:8010"] });

const address = line({ maximum: 64 })
  .optional()
  .meta({ description: "An IP address or a network; empty means any.", examples: ["192.0.2.0/24"] });

/** Body of `POST /servers/{server}/firewall`. `enable` may also be 0 or 1, as answers show it. */
const firewallRuleBody = z.object({
  action: oneOf(["ACCEPT", "DROP", "REJECT"]).meta({ examples: ["ACCEPT"] }),
  type: oneOf(["in", "out"]).meta({ description: "Direction.", examples: ["in"] }),
  proto: oneOf(["tcp", "udp", "icmp", "ipv6-icmp", ""])
    .optional()
    .meta({
      description: "Protocol: `icmp` for IPv4, `ipv6-icmp` for IPv6; empty means any.",
      examples: ["tcp"],
    }),
  dport: ports,
  sport: ports,
  source: address,
  dest: address,
  comment: line({ maximum: 255 })
    .optional()
    .meta({ examples: ["Web"] }),
  enable: z
    .union([z.boolean(), z.literal([0, 1]), z.null()], { error: "must be true, false, 1 or 0" })
    .transform((enable) => (enable === null ? undefined : Boolean(enable)))
    .optional()
    .meta({ description: "Whether the rule applies. Default: true.", ...inputExamples(true) }),
});

/** A flag as 0 or 1, as in Proxmox VE. */
const numericFlag = z.literal([0, 1]).meta({ type: "integer", examples: [1] });

/** A firewall rule (specification §2.4). */
const firewallRule = z
  .object({
    pos: z.int().nonnegative(),
    type: shownText("in"),
    action: shownText("ACCEPT"),
    proto: shownText("tcp"),
    dport: shownText("443"),
    sport: shownText(""),
    source: shownText("192.0.2.0/24"),
    dest: shownText(""),
    comment: shownText("Web"),
    enable: numericFlag,
    provider: z
      .boolean()
      .meta({ description: "True for a rule of the provider, which cannot be removed.", examples: [false] }),
  })
  .meta({ id: "FirewallRule", description: "A firewall rule. Empty text means any." });

/** Options of the firewall, named as in Proxmox VE. */
const firewallOptions = z
  .object({
    enable: numericFlag,
    policy_in: shownText("DROP"),
    policy_out: shownText("ACCEPT"),
    log_level_in: shownText("nolog"),
    log_level_out: shownText("nolog"),
    macfilter: numericFlag,
    dhcp: numericFlag,
    ndp: numericFlag,
    radv: numericFlag,
    ipfilter: numericFlag,
  })
  .meta({ id: "FirewallOptions", description: "Options of the firewall, named as in Proxmox VE." });

const firewall = z.object({
  status: z.literal(true),
  rules: z.array(firewallRule),
  options: firewallOptions,
  digest: shownText(
    "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "Version stamp of this list of rules, for the `digest` of `DELETE`.",
  ),
});

const toggledFirewall = succeeded({
  enabled: z.boolean().meta({ description: "State of the firewall after the change." }),
});

// The specification (§2.4) writes flags as numbers, like Proxmox VE.
const numeric = (enable: boolean): 0 | 1 => (enable ? 1 : 0);

const firewallRuleView = view(messages.FirewallRuleSchema, firewallRule, {
  enable: ({ enable }) => numeric(enable),
});

const firewallOptionsView = view(messages.FirewallOptionsSchema, firewallOptions, {
  enable: ({ enable }) => numeric(enable),
  macfilter: ({ macfilter }) => numeric(macfilter),
  dhcp: ({ dhcp }) => numeric(dhcp),
  ndp: ({ ndp }) => numeric(ndp),
  radv: ({ radv }) => numeric(radv),
  ipfilter: ({ ipfilter }) => numeric(ipfilter),
});

const firewallView = view(messages.GetFirewallResponseSchema, firewall, {
  status: true,
  rules: ({ rules }) => rules.map(firewallRuleView),
  options: ({ options }) => firewallOptionsView(present(options, "GetFirewallResponse.options")),
});

const changeRefusals = ["server-not-active", "compute-unavailable", "quota-exceeded"] as const;

async function revisionOf(
  { params }: { readonly params: { readonly server: bigint } },
  { servers, call }: Caller,
): Promise<bigint> {
  return (await servers.getServerRevision({ serverId: params.server }, call)).revision;
}

export const firewallOperations = [
  operation({
    id: "toggleFirewall",
    scopes: ["servers"],
    route: "POST /servers/{server}/firewall/toggle",
    summary: "Turn the firewall on or off",
    request: {
      params: serverPath,
      body: z.object({
        enable: flag.meta({
          description: "Only whitelisted servers may disable the firewall.",
          examples: [true],
        }),
      }),
    },
    responses: { 200: toggledFirewall },
    message: "Firewall enabled",
    refusals: ["firewall-locked", ...changeRefusals],
    async body({ params, body }, { servers, call }) {
      const { enabled } = await servers.toggleFirewall({ serverId: params.server, ...body }, call);
      return { message: `Firewall ${enabled ? "enabled" : "disabled"}`, enabled };
    },
  }),
  operation({
    id: "getFirewall",
    scopes: ["servers", "read"],
    route: "GET /servers/{server}/firewall",
    summary: "Read the firewall's rules and options",
    request: { params: serverPath },
    responses: { 200: firewall },
    hasOwnTag: true,
    refusals: ["server-not-active", "compute-unavailable"],
    async answer({ params }, { servers, call }) {
      const found = await servers.getFirewall({ serverId: params.server }, call);
      return { status: 200, body: firewallView(found), headers: { ETag: `"${found.digest}"` } };
    },
  }),
  operation({
    id: "addFirewallRule",
    scopes: ["servers"],
    route: "POST /servers/{server}/firewall",
    summary: "Add a firewall rule after the existing rules",
    request: { params: serverPath, body: firewallRuleBody },
    responses: { 201: succeeded({ rule: firewallRule }) },
    message: "Firewall rule added",
    refusals: changeRefusals,
    revisionOf,
    async body({ params, body }, { servers, call }) {
      const { rule } = await servers.addFirewallRule({ serverId: params.server, ...body }, call);
      return { rule: firewallRuleView(present(rule, "AddFirewallRuleResponse.rule")) };
    },
  }),
  operation({
    id: "deleteFirewallRule",
    scopes: ["servers"],
    route: "DELETE /servers/{server}/firewall/{pos}",
    summary: "Remove a firewall rule; the rules after it move up",
    description:
      "Send the `digest` of the list, or its `ETag` in `If-Match`, to remove the rule only if the rules are unchanged. " +
      "Read both with `GET /servers/{server}/firewall`.",
    request: {
      params: firewallRulePath,
      query: z.object({
        digest: digest.optional().meta({
          description:
            "Digest of the list from which you read the position. A changed list is refused with 409.",
        }),
      }),
    },
    responses: { 200: done },
    message: "Firewall rule deleted",
    refusals: ["protected-port", "firewall-changed", ...changeRefusals],
    conditionPath: "/servers/{server}/firewall",
    revisionOf,
    async body({ params: { server: serverId, pos }, query }, { servers, call }) {
      await servers.removeFirewallRule({ serverId, pos, ...defined(query) }, call);
    },
  }),
];
