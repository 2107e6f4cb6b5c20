import { createClient, type Transport } from "@connectrpc/connect";
import { account, domain, server, support } from "@hostledger/protocol";
import { createServiceTransport, type ServiceTransport } from "@hostledger/rpc";
import { ConfigurationError, defined } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import type { HostContext } from "./host-context.ts";
import type { PeerName, ServiceName } from "./services.ts";
import { serviceAttempts } from "./time-limits.ts";

const variables: Readonly<Record<PeerName, string>> = {
  account: "HOSTLEDGER_ACCOUNT_URL",
  domain: "HOSTLEDGER_DOMAIN_URL",
  server: "HOSTLEDGER_SERVER_URL",
  support: "HOSTLEDGER_SUPPORT_URL",
  audit: "HOSTLEDGER_AUDIT_URL",
  gateway: "HOSTLEDGER_GATEWAY_URL",
};

/**
 * How the other services of the deployment are reached, each looked for when it is first asked for.
 * @returns a function that throws ConfigurationError for a service without an address.
 */
export function createPeers({
  certificates,
  configuration,
  logger,
  shutdown,
  tracing,
}: HostContext): (name: PeerName) => ServiceTransport {
  const transports = new Map<PeerName, ServiceTransport>();
  return (name) => {
    const known = transports.get(name);
    if (known !== undefined) return known;
    const urls = urlsOf(configuration, name);
    if (urls === undefined)
      throw new ConfigurationError([`${variables[name]} must name the addresses of the ${whoOf(name)}.`]);
    const limits = { attempts: serviceAttempts };
    const transport = createServiceTransport({
      urls,
      logger,
      limits,
      ...defined({ tls: certificates.current(), tracing }),
    });
    certificates.onRenewed((tls) => {
      transport.renewTls(tls);
    });
    shutdown.add(`connections to the ${name} service`, () => transport.close());
    transports.set(name, transport);
    return transport;
  };
}

function urlsOf(configuration: Configuration, name: PeerName): readonly string[] | undefined {
  const { accountUrls, domainUrls, serverUrls, supportUrls, auditUrls, gatewayUrls } = configuration;
  const urls = { account: accountUrls, domain: domainUrls, server: serverUrls, support: supportUrls };
  return { ...urls, audit: auditUrls, gateway: gatewayUrls }[name];
}

function whoOf(name: PeerName): string {
  return name === "gateway" ? "gateway's staff listener" : `${name} service`;
}

/** What the gateway calls, by how each service is reached. */
export function clientsOf(to: (service: ServiceName) => Transport) {
  const [toAccount, toServer] = [to("account"), to("server")];
  return {
    account: createClient(account.AccountService, toAccount),
    idempotency: createClient(account.IdempotencyService, toAccount),
    domain: createClient(domain.DomainService, to("domain")),
    server: createClient(server.ServerService, toServer),
    catalogue: createClient(server.CatalogueService, toServer),
    support: createClient(support.SupportService, to("support")),
  };
}
