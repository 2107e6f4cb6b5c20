import { ConfigurationError, isLoopback } from "@hostledger/runtime";

import type { Configuration, ListenerName } from "./configuration/index.ts";

const hostVariables: Readonly<Record<ListenerName, string>> = {
  rest: "HOSTLEDGER_HOST",
  admin: "HOSTLEDGER_ADMIN_HOST",
  rpc: "HOSTLEDGER_RPC_HOST",
  esdb: "HOSTLEDGER_ESDB_HOST",
};

/**
 * Refuses clear text beyond this machine, because keys, credentials and events could be read and changed on the
 * network. A listener needs a certificate there, or the operator's confirmation that something else encrypts.
 * @param listeners that the process will open.
 * @throws ConfigurationError with a sentence for each listener that may not open.
 */
export function refuseClearText(configuration: Configuration, listeners: readonly ListenerName[]): void {
  const { host, adminHost, rpcHost, esdbHost, tlsCertificate, allowClearText = [] } = configuration;
  const hosts: Readonly<Record<ListenerName, string>> = {
    rest: host,
    admin: adminHost,
    rpc: rpcHost,
    esdb: esdbHost,
  };
  const mistakes = listeners
    // Customers' TLS ends at the load balancer: the API itself has none.
    .filter((name) => name === "rest" || tlsCertificate === undefined)
    .filter((name) => !isLoopback(hosts[name]) && !allowClearText.includes(name))
    .map((name) => sentence(name, hosts[name]));
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
}

function sentence(name: ListenerName, host: string): string {
  const remedy =
    name === "rest"
      ? "let a load balancer that speaks TLS stand before 127.0.0.1"
      : "set HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY";
  return (
    `${hostVariables[name]} must be an address of this machine alone, not "${host}", while this listener speaks clear text: ` +
    `${remedy}, or allow it with HOSTLEDGER_ALLOW_CLEAR_TEXT=${name}.`
  );
}
