import { z } from "zod";

/** Maximum addresses, and therefore machines, of a region. */
const addressLimit = 65_536;

const vmids = { least: 100, most: 999_999_999 };

const label = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must be a name of Proxmox VE");
const vmid = z.int().min(vmids.least).max(vmids.most);

const addresses = z
  .array(z.string())
  .min(1)
  .max(256)
  .transform((ranges, context) => {
    const all: string[] = [];
    for (const range of ranges) {
      const [first = "", last = first, ...more] = range.split("-").map((one) => one.trim());
      const [from, to] = [numberOf(first), numberOf(last)];
      if (from === undefined || to === undefined || to < from || more.length > 0) {
        context.addIssue(
          `must be IPv4 addresses or ranges such as 203.0.113.10-203.0.113.99, not "${range}"`,
        );
        return z.NEVER;
      }
      if (all.length + to - from >= addressLimit) {
        context.addIssue(`must be ${String(addressLimit)} addresses at most`);
        return z.NEVER;
      }
      for (let address = from; address <= to; address += 1) all.push(textOf(address));
    }
    return all;
  });

const region = z.strictObject({
  /** Names of the nodes that run the region's machines. */
  nodes: z.array(label).min(1).max(64),
  /** The vmid of the first address; the other addresses follow. These vmids are reserved for us. */
  firstVmid: vmid,
  /** Addresses; only append, because an address's position determines its vmid. */
  addresses,
  /** Prefix length of the network. */
  prefix: z.int().min(8).max(32),
  gateway: z.ipv4("must be an IPv4 address"),
  /** Reverse DNS name of a machine; `{address}` becomes its address with dashes. */
  reverseName: z
    .string()
    .regex(/^[a-z0-9.{}-]{1,200}$/, "must be a host name with {address} in it")
    .includes("{address}", "must be a host name with {address} in it"),
});

/** Schema of the operator's file that assigns parts of a cluster to us. */
export const proxmoxLayout = z
  .strictObject({
    /** Resource pool of all machines, so that the token's privileges can be limited to the pool. */
    resourcePool: label.optional(),
    /** Storage of disks; default: the template's storage. */
    storage: label.optional(),
    bridge: label,
    /** First disk of the templates. */
    disk: z
      .string()
      .regex(/^(scsi|virtio|sata|ide)\d{1,2}$/, "must be a disk such as scsi0")
      .default("scsi0"),
    /** User of the first login with the customer's key. */
    user: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, "must be a user's name")
      .default("root"),
    nameservers: z.array(z.ipv4("must be an IPv4 address")).min(1).max(3),
    /** The vmids of templates by distribution; several if each node has its own. */
    templates: z.record(z.string().min(1), z.array(vmid).min(1).max(64)),
    /** Regions by code. */
    regions: z.record(z.string().min(1), region),
  })
  .superRefine(({ regions }, context) => {
    for (const sentence of overlaps(Object.entries(regions)))
      context.addIssue({ code: "custom", message: sentence });
  });

export type ProxmoxLayout = z.output<typeof proxmoxLayout>;

export type ProxmoxRegion = ProxmoxLayout["regions"][string];

/** Yields the places of a region from the name's first place on; later places are tried if earlier ones are taken. */
export function* placesFor({ firstVmid, addresses: all }: ProxmoxRegion, name: string) {
  // Names end in the server's number, so each server has its own first place until the region has been filled once.
  const start = Number(/\d{1,9}$/.exec(name)?.[0] ?? 0);
  for (let step = 0; step < all.length; step += 1) {
    const place = (start + step) % all.length;
    yield { vmid: firstVmid + place, address: all[place] ?? "" };
  }
}

export function isOfRegion({ firstVmid, addresses: all }: ProxmoxRegion, id: number): boolean {
  return id >= firstVmid && id < firstVmid + all.length;
}

function overlaps(regions: readonly (readonly [string, ProxmoxRegion])[]): readonly string[] {
  const sentences: string[] = [];
  const owners = new Map<string, string>();
  for (const [code, { firstVmid, addresses: all }] of regions) {
    if (firstVmid + all.length - 1 > vmids.most)
      sentences.push(`region ${code} has vmids beyond the greatest`);
    const taken = all.find((address) => owners.has(address));
    if (taken !== undefined) sentences.push(`${taken} of region ${code} stands there twice`);
    if (new Set(all).size < all.length) sentences.push(`an address of region ${code} stands there twice`);
    for (const address of all) owners.set(address, code);
    const other = regions.find(
      ([another, one]) =>
        another < code &&
        firstVmid < one.firstVmid + one.addresses.length &&
        one.firstVmid < firstVmid + all.length,
    );
    if (other !== undefined) sentences.push(`regions ${other[0]} and ${code} share vmids`);
  }
  return sentences;
}

function numberOf(address: string): number | undefined {
  if (!z.ipv4().safeParse(address).success) return undefined;
  return address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((bits) => String(Math.floor(address / 2 ** bits) % 256)).join(".");
}
