import type { NamedInstallation } from "@hostledger/core";

import { right, wrong, type ProviderFinding } from "../check/provider-check.ts";
import { EppClient, namespaces, type EppOptions, type Greeting } from "../epp/index.ts";
import { EppRegistrar } from "./epp-registrar.adapter.ts";
import type { Registrar } from "./registrar.port.ts";
import { registries, type RegistryName } from "./registries.ts";
import type { Registry } from "./registries.ts";

export interface OpenEppOptions extends EppOptions {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
  /** Registry whose peculiarities apply. */
  readonly registry: RegistryName;
  /** Our registrar id, if it differs from the login user. Default: the user. */
  readonly clientId?: string;
  /** Source of the random part of all identifiers. Absent for a check, which orders nothing. */
  readonly installation?: () => Promise<NamedInstallation>;
}

/** An open registrar over EPP, which connects at the first call. */
export interface OpenedEppRegistrar {
  readonly registrar: Registrar;
  /** Opens a session and checks the registry's offers, without changes. */
  check(): Promise<readonly ProviderFinding[]>;
  /** Logs out. */
  close(): Promise<void>;
}

/** Opens a registrar over EPP. The seal's key derives from the password. */
export function openEppRegistrar({ name, registry, ...options }: OpenEppOptions): OpenedEppRegistrar {
  const client = new EppClient(options);
  const { user, password, clientId = user, installation = unnamed } = options;
  return {
    registrar: new EppRegistrar({
      name,
      client,
      clientId,
      installation,
      secret: `${user}\n${password}`,
      registry: registries[registry],
    }),
    check: () => check(client, { ...options, registry }),
    close: () => client.close(),
  };
}

function unnamed(): Promise<never> {
  return Promise.reject(new Error("This registrar was opened for a check, and cannot take orders."));
}

async function check(
  client: EppClient,
  { server: { host, port }, user, registry }: Omit<OpenEppOptions, "name">,
): Promise<readonly ProviderFinding[]> {
  const place = `${host}:${String(port)}`;
  try {
    const greeting = await client.greeting();
    return [
      right(`The registry at ${place} takes the login of ${user}.`),
      ...offered(greeting, registries[registry]),
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : "It failed.";
    return [wrong(`No session could be begun with the registry at ${place}: ${why}`)];
  }
}

function offered(
  { objects, serverId }: Greeting,
  { contactRoles, hosts }: Registry,
): readonly ProviderFinding[] {
  const server = serverId.slice(0, 100);
  const asOffered = objects.includes(namespaces.host) ? "objects" : "attributes";
  const form = hosts === "as-offered" ? asOffered : hosts;
  return [
    contacts(server, {
      isOffered: objects.includes(namespaces.contact),
      isNeeded: contactRoles !== undefined,
    }),
    form === "objects" && asOffered !== "objects"
      ? wrong(
          `${server} has no host objects (${namespaces.host}), which its habits want: name another registry.`,
        )
      : right(`${server} wants nameservers as ${form === "objects" ? "host objects" : "attributes"}.`),
  ];
}

function contacts(
  server: string,
  { isOffered, isNeeded }: { readonly isOffered: boolean; readonly isNeeded: boolean },
): ProviderFinding {
  if (!isNeeded) return right(`${server} is told no registrant.`);
  return isOffered
    ? right(`${server} has contacts, in which registrants are kept.`)
    : wrong(`${server} has no contacts (${namespaces.contact}), and nowhere to keep a registrant.`);
}
