import { apex } from "./dns-record.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Addresses of nameservers by host: of those below a delegated name itself, which nobody could find otherwise (RFC 9471 §2.1). */
export type Glue = Readonly<Record<string, readonly string[]>>;

/**
 * The addresses that a name's zone has for those of the nameservers that are below the name; a host without one has none. The zone
 * of a name does not change while it is on nameservers that are not the service's: what is true at the delegation stays so.
 */
export function glueOf(
  { name, zone }: Pick<RegisteredDomain, "name" | "zone">,
  nameservers: readonly string[],
): Glue {
  const records = [...(zone?.records.values() ?? [])];
  return Object.fromEntries(
    nameservers
      .filter((host) => isWithin(host, name))
      .map((host) => {
        const owner = host === name ? apex : host.slice(0, -name.length - 1);
        const addresses = records.filter(
          (record) => record.name === owner && (record.type === "A" || record.type === "AAAA"),
        );
        return [host, addresses.map(({ value }) => value)];
      }),
  );
}

function isWithin(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}
