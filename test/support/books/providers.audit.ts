import { differences } from "./differences.ts";
import type { Report } from "./books-event.ts";
import type { NameBook } from "./registrations.audit.ts";

/** Resources of the outside providers, as they list them. */
export interface Holdings {
  readonly registrar: readonly {
    readonly name: string;
    readonly clientTransactionId: string;
    readonly expiresAt: string;
    readonly nameservers: readonly string[];
  }[];
  readonly dns: readonly {
    readonly name: string;
    readonly records: readonly {
      readonly type: string;
      readonly name: string;
      readonly value: string;
      readonly ttlSeconds: number;
      readonly priority: number | null;
    }[];
  }[];
  readonly compute: readonly { readonly name: string }[];
}

/**
 * The registrar holds exactly the registered domains, the DNS server exactly their zones, the nodes exactly the servers that
 * were set up and not destroyed, as the books say.
 *
 * @param servers names of those that were set up and not destroyed.
 */
export function auditProviders(
  { domains }: NameBook,
  servers: ReadonlySet<string>,
  { registrar, dns, compute }: Holdings,
  report: Report,
): void {
  const names = differences(
    "at the registrar,",
    new Map(
      [...domains.values()].map(({ name, registrationId, expiresAt, nameservers }) => [
        name,
        { registrationId, expiresAt, nameservers },
      ]),
    ),
    new Map(
      registrar.map(({ name, clientTransactionId: registrationId, expiresAt, nameservers }) => [
        name,
        { registrationId, expiresAt, nameservers },
      ]),
    ),
  );
  const zones = differences(
    "at the DNS server,",
    new Map(
      [...domains.values()].flatMap(({ name, records }) =>
        records === undefined ? [] : [zone(name, records)],
      ),
    ),
    new Map(dns.map(({ name, records }) => zone(name, records))),
  );
  const nodes = differences(
    "at the nodes,",
    new Map([...servers].map((name) => [name, "set up"])),
    // A machine bears the installation's random part in its name.
    new Map(compute.map(({ name }) => [name.replace(/^server-[a-z][a-z0-9]{5}-/, "server-"), "set up"])),
  );
  for (const finding of [...names, ...zones, ...nodes]) report(finding);
}

function zone(name: string, records: Holdings["dns"][number]["records"]): [string, unknown] {
  const fields = records.map(({ type, name: label, value, ttlSeconds, priority }) =>
    [label, type, ttlSeconds, priority, value].map(String).join(" "),
  );
  return [name, fields.toSorted()];
}
