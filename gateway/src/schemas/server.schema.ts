import { z } from "zod";

import { line } from "./text.schema.ts";
import {
  euroAmount,
  flag,
  id,
  idInBody,
  inputExamples,
  integer,
  otherwise,
  resourceId,
  timestamp,
  integerOfText,
  shownText,
  message,
  laterTimestamp,
} from "./values.schema.ts";

const maximumPosition = 9_999;

export const serverPath = z.object({ server: resourceId.meta({ description: "Server id." }) });

/** Path parameters of a firewall rule. Positions start at 0. */
export const firewallRulePath = serverPath.extend({
  pos: z
    .string()
    .regex(/^(0|[1-9]\d{0,3})$/, { abort: true })
    .transform(Number)
    .meta({ description: "Position of the rule, from 0.", ...integerOfText(0, maximumPosition) }),
});

const digest = z
  .string({ error: otherwise("must be a string") })
  .regex(/^[0-9a-f]{40}$/, { error: "must be the digest that the list of rules had" });

/** Query of `DELETE /servers/{server}/firewall/{pos}`. */
export const firewallDigestQuery = z.object({
  digest: digest.optional().meta({
    description: "The digest of the list that the position was read from: 409 when it has changed since.",
  }),
});

/** Months of an order or a renewal; 1 if absent. */
const duration = integer(1, 12)
  .optional()
  .meta({ description: "Months, 1 to 12; 1 without it.", examples: [3] });

/** Body of `POST /servers/{server}/renew` (specification §4.6). */
export const renewServerBody = z.object({ duration });

/** Body of `POST /servers/{server}/firewall/toggle` (specification §4.7). */
export const toggleFirewallBody = z.object({
  enable: flag.meta({ description: "Only whitelisted servers may disable it.", examples: [true] }),
});

const hostnameRule = "must be a host name of at most 63 characters, or null";
const shortestHostname = 3;
const longestHostname = line({ maximum: 63 });

/** Returns true for a name too short to be set, which clears the host name. */
const clears = (name: string): boolean =>
  Array.from(name.slice(0, 2 * shortestHostname)).length < shortestHostname;

/** Body of `PUT /servers/{server}/hostname` (specification §4.9). */
export const updateHostnameBody = z.object({
  hostname: z
    .string({ error: otherwise(hostnameRule) })
    .refine((name) => clears(name) || longestHostname.safeParse(name).success, { error: hostnameRule })
    .meta({ maxLength: 63 })
    .nullable()
    .transform((name) => (name === null || clears(name) ? undefined : name))
    .meta({
      description: "RFC 1123 labels. Null, or fewer than 3 characters, clears it.",
      ...inputExamples("web-1.example.com"),
    }),
});

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) => {
  const shown = words.map((word) => (word === "" ? "empty" : word));
  return z.enum(words, {
    error: otherwise(`must be ${shown.slice(0, -1).join(", ")} or ${shown.at(-1) ?? ""}`),
  });
};

const ports = line({ maximum: 255 })
  .optional()
  .meta({ description: "A port, a range or a list; empty means any.", examples: ["8000:8010"] });

const address = line({ maximum: 64 })
  .optional()
  .meta({ description: "An IP address or a network; empty means any.", examples: ["192.0.2.0/24"] });

const enableRule = "must be true, false, 1 or 0";

/** Body of `POST /servers/{server}/firewall`. `enable` may also be 0 or 1, as answers show it. */
export const firewallRuleBody = z.object({
  action: oneOf(["ACCEPT", "DROP", "REJECT"]).meta({ examples: ["ACCEPT"] }),
  type: oneOf(["in", "out"]).meta({ description: "Direction.", examples: ["in"] }),
  proto: oneOf(["tcp", "udp", "icmp", "ipv6-icmp", ""])
    .optional()
    .meta({
      description: "Protocol, `icmp` of IPv4 and `ipv6-icmp` of IPv6; empty means any.",
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
    .union([z.boolean(), z.literal([0, 1]), z.null()], { error: enableRule })
    .transform((enable) => (enable === null ? undefined : Boolean(enable)))
    .optional()
    .meta({ description: "In force; true without it.", ...inputExamples(true) }),
});

const exampleKey =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g me@example";
export const orderServerBody = z.object({
  plan_id: idInBody,
  region_id: idInBody,
  distro_id: idInBody,
  duration,
  ssh_key: line({ minimum: 1, maximum: 8_192 })
    .optional()
    .meta({ description: "A public key for the first login.", examples: [exampleKey] }),
});

/** A server (contract, "GET /servers"). */
export const server = z
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
        "`terminated` in the answer to the cancellation alone, where its machine was gone by then.",
    }),
    plan_id: id,
    suspended: z.boolean().meta({ examples: [false] }),
    created_at: timestamp,
    expiry_date: laterTimestamp,
    terminates_at: timestamp.nullable().meta({
      examples: ["2027-12-05T01:30:00.000000Z"],
      description:
        "When it ends, and its data with it, where nobody renews it; null while it is provisioned, held or terminated.",
    }),
    cancelled: z
      .boolean()
      .meta({ description: "It ends with its paid time; a renewal takes that back.", examples: [false] }),
    auto_renew: z
      .boolean()
      .meta({ description: "It is renewed for a month each time, from a week before it expires." }),
    held: z.boolean().meta({
      examples: [false],
      description:
        "Staff hold it: it is suspended, and cannot be renewed or ended at once until they release it. It is kept for 7 days after that at least.",
    }),
    hold_reason: z
      .string()
      .nullable()
      .meta({
        examples: [null],
        description: "Why staff hold it; null where it is not held, and where they did not say so.",
      }),
  })
  .meta({ id: "Server", description: "A rented server." });

export const cancelServerBody = z.object({
  at: oneOf(["end_of_term", "now"]).meta({
    description: "With its paid time, or at once.",
    examples: ["end_of_term"],
  }),
});

export const serverSettingsBody = z.object({
  auto_renew: z.boolean({ error: otherwise("must be true or false") }).meta({ examples: [true] }),
});

/** Answer of `POST /servers/{server}/cancel` and `PUT /servers/{server}/settings`. */
export const changedServer = z.object({ status: z.literal(true), message, server });

export const serverList = z.array(server);

/** Answer of `POST /servers/{server}/renew`; the server as in specification §2.3. */
export const renewedServer = z.object({
  status: z.literal(true),
  message,
  invoice_id: id,
  amount_charged: euroAmount.meta({ description: "Gross euros taken from the balance." }),
  new_expiry_date: laterTimestamp,
  server: server.pick({ id: true, ip_address: true, expiry_date: true, suspended: true }),
});

/** Answer of `POST /servers/{server}/firewall/toggle`. */
export const toggledFirewall = z.object({
  status: z.literal(true),
  message,
  enabled: z.boolean().meta({ description: "The firewall's state after the change." }),
});

/** A flag as 0 or 1, as in Proxmox VE. */
const numericFlag = z.literal([0, 1]).meta({ type: "integer", examples: [1] });

/** A firewall rule (specification §2.4). */
export const firewallRule = z
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
    provider: z.boolean().meta({ description: "The provider's own, which stays.", examples: [false] }),
  })
  .meta({ id: "FirewallRule", description: "A rule; empty text means any." });

/** Options of the firewall, named as in Proxmox VE. */
export const firewallOptions = z
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
  .meta({ id: "FirewallOptions", description: "Options of the firewall, in Proxmox VE's names." });

/** Answer of `GET /servers/{server}/firewall`. */
export const firewall = z.object({
  status: z.literal(true),
  rules: z.array(firewallRule),
  options: firewallOptions,
  digest: shownText(
    "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "Names this list of rules; `DELETE` takes it.",
  ),
});

/** Answer of `POST /servers/{server}/firewall`. */
export const addedFirewallRule = z.object({
  status: z.literal(true),
  message,
  rule: firewallRule,
});

/** Answer of `PUT /servers/{server}/hostname`. */
export const updatedHostname = z.object({
  status: z.literal(true),
  message,
  hostname: shownText("web-1.example.com", "Null after it was cleared.").nullable(),
});

/** Answer of `POST /order`; the contract names its flag `success` instead of `status`. */
export const orderedServer = z.object({
  success: z.literal(true),
  server_id: id,
  invoice_id: id,
  duration: z.int().meta({ description: "Months.", examples: [3] }),
  amount_charged: euroAmount.meta({ description: "Gross euros taken from the balance." }),
  expiry_date: laterTimestamp,
});
