import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

export interface Distro {
  readonly id: number;
  readonly name: string;
  readonly version: string;
}

/** Available distributions. Never reuse an id, because orders refer to it for ever. */
export const distros: readonly Distro[] = [
  { id: 1, name: "Debian", version: "13" },
  { id: 2, name: "Debian", version: "12" },
  { id: 3, name: "Ubuntu", version: "24.04 LTS" },
  { id: 4, name: "Ubuntu", version: "22.04 LTS" },
  { id: 5, name: "AlmaLinux", version: "10" },
  { id: 6, name: "AlmaLinux", version: "9" },
  { id: 7, name: "Rocky Linux", version: "10" },
  { id: 8, name: "Rocky Linux", version: "9" },
  { id: 9, name: "Fedora", version: "44" },
];

/** Distribution of a server if the customer chose none: the newest Debian. */
export const defaultDistro: Distro = { id: 1, name: "Debian", version: "13" };

export function parseDistro(id: bigint): Parsed<Distro> {
  const distro = distros.find((one) => BigInt(one.id) === id);
  return distro === undefined ? unparsable("must be a distribution of GET /distros") : parsed(distro);
}

/** Returns name and version, for example `Debian 13`. */
export function distroName({ name, version }: Distro): string {
  return `${name} ${version}`;
}
