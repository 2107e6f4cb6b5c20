/** The networks that RFC 5737 reserves for documentation: no packet of anyone's ever goes there. */
const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"];

/** Addresses of a /24 without those of the network and of broadcast. */
const hostsOfNetwork = 254;

/** Networks of 24 bits in 10.0.0.0/8. */
const privateNetworks = 65_536;

/** Servers that one simulated node carries. */
const serversOfNode = 50;

/** So many servers have an address at a time. */
export const addressLimit = (documentationNetworks.length + privateNetworks) * hostsOfNetwork;

/**
 * The IPv4 address of a place: those for documentation first, then those of 10.0.0.0/8. Two places never share one.
 * @param place from 0 to below {@link addressLimit}.
 */
export function addressOf(place: number): string {
  const network = Math.floor(place / hostsOfNetwork);
  const host = (place % hostsOfNetwork) + 1;
  const documentation = documentationNetworks[network];
  if (documentation !== undefined) return `${documentation}.${String(host)}`;
  const index = network - documentationNetworks.length;
  return `10.${String(Math.floor(index / 256))}.${String(index % 256)}.${String(host)}`;
}

/** The node that carries the server of a place. */
export function nodeOf(place: number, region: string): string {
  return `${labelOf(region)}-node-${String(Math.floor(place / serversOfNode) + 1)}`;
}

/** The reverse DNS name of a place's address. */
export function reverseNameOf(place: number, region: string): string {
  return `${addressOf(place).replaceAll(".", "-")}.${labelOf(region)}.servers.example`;
}

/** A region's code as part of a host name. */
function labelOf(region: string): string {
  const label = region.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return label.replaceAll(/^-|-$/g, "") || "region";
}
