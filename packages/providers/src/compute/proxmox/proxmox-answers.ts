import { z } from "zod";

const flag = z
  .union([z.boolean(), z.literal(0), z.literal(1), z.literal("0"), z.literal("1")])
  .transform((value) => value === true || value === 1 || value === "1");

/** `GET /version` */
export const versionAnswer = z.object({ version: z.string() });

/** `GET /cluster/resources?type=vm`; names appear some seconds after a machine's creation. */
export const machinesAnswer = z.array(
  z.object({
    vmid: z.int(),
    node: z.string(),
    type: z.string(),
    name: z.string().optional(),
    template: flag.optional(),
  }),
);

/** `GET /nodes` */
export const nodesAnswer = z.array(
  z.object({
    node: z.string(),
    status: z.string(),
    maxmem: z.number().optional(),
    mem: z.number().optional(),
  }),
);

/** `GET /nodes/{node}/qemu/{vmid}/config`; each disk is a field of its own. */
export const configAnswer = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  lock: z.string().optional(),
});

/** `GET /nodes/{node}/qemu/{vmid}/status/current` */
export const statusAnswer = z.object({ status: z.string(), lock: z.string().optional() });

/** `GET …/firewall/rules` */
export const rulesAnswer = z.array(z.record(z.string(), z.union([z.string(), z.number()])));

/** `GET …/firewall/options`; unconfigured options are absent. */
export const optionsAnswer = z.object({
  enable: flag.optional(),
  policy_in: z.enum(["ACCEPT", "DROP", "REJECT"]).optional(),
  policy_out: z.enum(["ACCEPT", "DROP", "REJECT"]).optional(),
  log_level_in: z.string().optional(),
  log_level_out: z.string().optional(),
  macfilter: flag.optional(),
  dhcp: flag.optional(),
  ndp: flag.optional(),
  radv: flag.optional(),
  ipfilter: flag.optional(),
  digest: z.string().optional(),
});

/** `GET /nodes/{node}/storage` */
export const storagesAnswer = z.array(
  z.object({ storage: z.string(), content: z.string(), active: flag.optional() }),
);

/** `GET /nodes/{node}/network` */
export const networksAnswer = z.array(z.object({ iface: z.string() }));

/** `GET /access/permissions`: privileges by path. */
export const permissionsAnswer = z.record(z.string(), z.record(z.string(), z.unknown()));

export const clusterFirewallAnswer = z.object({ enable: flag.optional() });
