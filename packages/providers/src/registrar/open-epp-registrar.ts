import { right, wrong, type ProviderFinding } from "../check/provider-check.ts";
import { EppClient, namespaces, type EppOptions, type Greeting } from "../epp/index.ts";
import { EppRegistrar } from "./epp-registrar.adapter.ts";
import type { Registrar } from "./registrar.port.ts";
import { generic } from "./registries/generic.ts";

/** How a registry is reached, and as whom. */
export interface OpenEppOptions extends EppOptions {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
}

/** A registrar by EPP that is open. No connection is made before the first call. */
export interface OpenedEppRegistrar {
  readonly registrar: Registrar;
  /** Begins a session, and looks at what the registry offers; nothing is changed there. */
  check(): Promise<readonly ProviderFinding[]>;
  /** Logs out. */
  close(): Promise<void>;
}

/** Opens a registrar by EPP. What its codes are sealed with comes of the password: every process that talks to the registry has it. */
export function openEppRegistrar({ name, ...options }: OpenEppOptions): OpenedEppRegistrar {
  const client = new EppClient(options);
  const { user, password } = options;
  return {
    registrar: new EppRegistrar({ name, client, user, secret: `${user}\n${password}`, registry: generic }),
    check: () => check(client, options),
    close: () => client.close(),
  };
}

async function check(
  client: EppClient,
  { server: { host, port }, user }: EppOptions,
): Promise<readonly ProviderFinding[]> {
  const place = `${host}:${String(port)}`;
  try {
    const greeting = await client.greeting();
    return [right(`The registry at ${place} takes the login of ${user}.`), ...offered(greeting)];
  } catch (error) {
    const why = error instanceof Error ? error.message : "It failed.";
    return [wrong(`No session could be begun with the registry at ${place}: ${why}`)];
  }
}

function offered({ objects, serverId }: Greeting): readonly ProviderFinding[] {
  const server = serverId.slice(0, 100);
  return [
    objects.includes(namespaces.contact)
      ? right(`${server} has contacts, in which registrants are kept.`)
      : wrong(`${server} has no contacts (${namespaces.contact}), and nowhere to keep a registrant.`),
    right(
      `${server} wants nameservers as ${objects.includes(namespaces.host) ? "host objects" : "attributes"}.`,
    ),
  ];
}
