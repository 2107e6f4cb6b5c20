/** Networks reserved for documentation by RFC 5737, which are never routed. */
const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"];

/** Addresses of a /24 without network and broadcast. */
const hostsOfNetwork = 254;

const privateNetworks = 65_536;

const serversOfNode = 50;

/** Maximum servers with an address at a time. */
export const addressLimit = (documentationNetworks.length + privateNetworks) * hostsOfNetwork;

/** Returns the unique IPv4 address of a place. @param place from 0 to below {@link addressLimit} */
export function addressOf(place: number): string {
  const network = Math.floor(place / hostsOfNetwork);
  const host = (place % hostsOfNetwork) + 1;
  const documentation = documentationNetworks[network];
  if (documentation !== undefined) return `${documentation}.${String(host)}`;
  const index = network - documentationNetworks.length;
  return `10.${String(Math.floor(index / 256))}.${String(index % 256)}.${String(host)}`;
}

export function nodeOf(place: number, region: string): string {
  return `${labelOf(region)}-node-${String(Math.floor(place / serversOfNode) + 1)}`;
}

export function reverseNameOf(place: number, region: string): string {
  return `${addressOf(place).replaceAll(".", "-")}.${labelOf(region)}.servers.example`;
}

function labelOf(region: string): string {
  const label = region.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return label.replaceAll(/^-|-$/g, "") || "region";
}
