import { apex } from "./dns-record.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Addresses of nameservers below the delegated name, by host. Resolvers could not find them otherwise (RFC 9471 §2.1). */
export type Glue = Readonly<Record<string, readonly string[]>>;

/** Returns the addresses of nameservers below the name, from the name's own zone; empty lists if there are none. */
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
